import {
  blobRef,
  cleanName,
  LIMITS,
  parseAgentLine,
  rejectedLine,
  type SpoolLine,
  type SystemBody,
} from '@filepath/protocol';
import { z } from 'zod';
import type { Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';
import { addToDraft, endDraft, MAX_DRAFTS } from './drafts.ts';
import { limitByStatus } from './limit.ts';
import { noteMemory } from './memory-note.ts';
import { putOutbox } from './outbox.ts';
import { noteQuestion } from './questions.ts';
import { handOff, noteTakenUp } from './relay.ts';

export type Delta = { id: string; delta: string };

/** A stored body's text: the agent's own, or a reference to where it is kept. */
export type Offloaded = ReadonlyMap<string, { sha256: string; bytes: number }>;

export type SpawnFailed = Extract<SystemBody, { type: 'spawn_failed' }>;

/** What is seen at once, and wishes for children that could not be understood. */
type Appended = { deltas: Delta[]; refused: SpawnFailed[] };

/** Appends what an agent printed, in order. Nothing it prints can fail the batch. */
export function appendLines(
  sql: Sql,
  appender: Appender,
  lines: readonly SpoolLine[],
  offloaded: Offloaded,
): Appended {
  const deltas = new Map<string, string>();
  const refused: SpawnFailed[] = [];
  for (const [end, text, reason, bytes] of lines) {
    if (reason !== undefined) {
      appender.append('runner', rejectedLine(text, bytes ?? text.length, issue(reason)));
    } else {
      const failed = appendLine(sql, appender, text, offloaded, deltas);
      if (failed) refused.push(failed);
    }
    appender.state.launch.offset = end;
  }
  for (const [id, delta] of deltas) {
    addToDraft(sql, id, delta);
    if (!appender.state.drafts.includes(id)) {
      appender.state.drafts = [...appender.state.drafts, id];
    }
  }
  for (const id of appender.state.drafts.slice(0, -MAX_DRAFTS)) {
    giveUpDraft(sql, appender, id);
    deltas.delete(id);
  }
  return { deltas: [...deltas].map(([id, delta]) => ({ id, delta })), refused };
}

/** Logs what there is of a text. Should it be finished later, the whole text is logged too. */
function giveUpDraft(sql: Sql, appender: Appender, id: string): void {
  const draft = endDraft(sql, id);
  appender.state.drafts = appender.state.drafts.filter((one) => one !== id);
  if (draft) appender.append('fap', { type: 'text', ...draft, truncated: true });
}

function appendLine(
  sql: Sql,
  appender: Appender,
  line: string,
  offloaded: Offloaded,
  deltas: Map<string, string>,
): SpawnFailed | null {
  const parsed = parseAgentLine(line);
  if (!parsed.ok) {
    const { path, reason } = parsed;
    const seq = appender.append('runner', rejectedLine(line, byteLength(line), { path, reason }));
    const name = nameOfSpawn(line);
    if (name === null || appender.state.lifecycle.stopped) return null;
    const where = path === '(root)' ? '' : ` at ${path}`;
    const failed = { type: 'spawn_failed', spawn: seq, name, reason: `${reason}${where}` } as const;
    appender.append('system', failed);
    return failed;
  }
  const { event, body } = parsed;
  appender.state.launch.heard = appender.state.launch.written;
  noteTakenUp(sql, appender.state);
  if (event.type === 'text' && event.partial === true) {
    const id = event.id ?? 'draft';
    deltas.set(id, (deltas.get(id) ?? '') + event.content);
    return null;
  }
  if (event.type === 'text') {
    const id = event.id ?? 'draft';
    deltas.delete(id);
    if (appender.state.drafts.includes(id)) {
      endDraft(sql, id);
      appender.state.drafts = appender.state.drafts.filter((one) => one !== id);
    }
  }
  const blob = offloaded.get(line);
  const seq = blob
    ? appender.append('fap', blobRef(event.type, appender.thread, blob.sha256, blob.bytes), body)
    : appender.append('fap', body);
  if (event.type === 'decision' && !blob) {
    noteQuestion(sql, event.id, appender.state.launch.epoch, seq);
  }
  if (event.type === 'status') limitByStatus(sql, appender, event);
  if (event.type === 'handoff') handOff(sql, appender, seq, event.summary);
  if (event.type === 'memory') noteMemory(sql, event, seq);
  if (event.type !== 'spawn') return null;
  // An agent's words go on to other objects: bounded, whatever it says.
  const name = cleanName(event.name) ?? '';
  if (appender.state.lifecycle.stopped) {
    appender.append('system', {
      type: 'spawn_failed',
      spawn: seq,
      name,
      reason: 'its parent is stopped',
    });
    return null;
  }
  putOutbox(sql, `spawn:${seq}`, {
    kind: 'spawn',
    note: {
      seq,
      name,
      agent: event.agent.slice(0, 64),
      model: event.model.slice(0, 200),
      task: event.task ?? null,
      ...(event.budget && {
        budget: { usd: event.budget.usd ?? null, tokens: event.budget.tokens ?? null },
      }),
      ...(event.network && { network: event.network }),
    },
  });
  return null;
}

/** Of a line that is no valid event: what it calls the child that it asks for; null where it asks for none. */
function nameOfSpawn(line: string): string | null {
  if (!line.includes('"spawn"')) return null;
  try {
    return cleanName(SpawnLike.parse(JSON.parse(line)).name) ?? '';
  } catch {
    return null;
  }
}

const SpawnLike = z.object({ type: z.literal('spawn'), name: z.string().catch('') });

/** The lines whose bodies are too large for a row. */
export function largeLines(lines: readonly SpoolLine[]): string[] {
  return lines.flatMap(([, text, reason]) =>
    reason === undefined && byteLength(text) > LIMITS.inlineBody ? [text] : [],
  );
}

const issue = (reason: string) => ({ path: '(root)', reason });

const encoder = new TextEncoder();

function byteLength(text: string): number {
  if (text.length * 3 <= LIMITS.inlineBody) return text.length;
  return encoder.encode(text).length;
}
