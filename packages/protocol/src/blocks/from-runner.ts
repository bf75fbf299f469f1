import { RejectedLine } from '../fap/codec.ts';
import { silentFor } from '../thread/silence.ts';
import { RunnerBody, type RunnerDenied, type RunnerExit } from '../thread/bodies.ts';
import type { RunnerGates } from '../thread/gates.ts';
import { checkWords, type RunnerHealth, rescuedWords } from '../thread/health.ts';
import type { Base, Block, NoticeBlock } from './block.ts';

/** What the runner observed, in words for a person; null for a body that is none of its own. */
export function runnerBlock(
  base: Base,
  body: unknown,
  ended: { readonly limited: boolean },
): Block | null {
  const rejected = RejectedLine.safeParse(body);
  if (rejected.success) {
    const { level, message, rejected: line } = rejected.data;
    return { ...base, kind: 'log', level, message, head: line.head };
  }
  const parsed = RunnerBody.safeParse(body);
  if (!parsed.success) return null;
  if (parsed.data.type !== 'head')
    return { ...base, kind: 'notice', ...notice(parsed.data, ended.limited) };
  const { to, message, ref } = parsed.data;
  const branch = branchOf(ref);
  const { verified } = base;
  return { ...base, kind: 'commits', commits: [{ hash: to, message, verified, branch }] };
}

const HEADS = 'refs/heads/';

/** Null where HEAD named none. */
function branchOf(ref: string | undefined): string | null {
  return ref?.startsWith(HEADS) === true ? ref.slice(HEADS.length) : null;
}

/** What is shown while a repository is cloned: one block, however often its progress is told. */
const CLONING = 'cloning the repository';

/** The same for an image. */
const IMAGE = { pulling: 'pulling the image', building: 'building the image' } as const;

export const PROGRESS: ReadonlySet<string> = new Set([CLONING, ...Object.values(IMAGE)]);

/** What is shown while a workspace is looked at before a start; its result takes the place. */
export const CHECKING = 'checking the workspace';

type Notice = Pick<NoticeBlock, 'level' | 'text' | 'detail'>;

function notice(body: Exclude<RunnerBody, { type: 'head' }>, limited: boolean): Notice {
  switch (body.type) {
    case 'started':
      return body.executor === 'unsandboxed'
        ? { level: 'warn', text: 'started without a sandbox', detail: null }
        : { level: 'info', text: 'started', detail: null };
    case 'workspace':
      return body.state === 'cloning'
        ? { level: 'info', text: CLONING, detail: body.detail || null }
        : { level: 'info', text: 'workspace ready', detail: body.detail || null };
    case 'image':
      return {
        level: 'info',
        text: body.state === 'ready' ? 'image ready' : IMAGE[body.state],
        detail: body.detail || null,
      };
    case 'refused':
      return { level: 'error', text: `could not start: ${body.reason}`, detail: null };
    case 'held':
      return { level: 'warn', text: `held: ${body.reason}`, detail: null };
    case 'released':
      return { level: 'info', text: 'goes on', detail: null };
    case 'silent':
      return { level: 'warn', text: silentFor(body.seconds), detail: null };
    case 'denied':
      return { level: 'warn', text: denied(body), detail: body.hint || null };
    case 'health':
      return health(body);
    case 'gates':
      return gates(body);
    case 'exit':
      return exit(body, limited);
  }
}

function denied({ host, port, reason }: RunnerDenied): string {
  return host === null ? reason : `no access to ${showAddress(host, port)}: ${reason}`;
}

function showAddress(host: string, port: number | null): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return port === null ? shown : `${shown}:${port}`;
}

function health({ state, rescued, checks, note, blocked }: RunnerHealth): Notice {
  if (state === 'checking') return { level: 'info', text: CHECKING, detail: note ?? null };
  const bad = checks.filter(({ outcome }) => outcome === 'failed' || outcome === 'timeout');
  const passed = checks.filter(({ outcome }) => outcome === 'passed');
  const parts = [
    ...(rescued === undefined ? [] : [`uncommitted work rescued (${rescued.files})`]),
    ...(bad.length === 0 ? [] : [`${bad.map(({ name }) => name).join(', ')} failed`]),
    ...(passed.length === 0 ? [] : [`${passed.map(({ name }) => name).join(', ')} passed`]),
  ];
  const lines = [
    ...(rescued === undefined ? [] : [rescuedWords(rescued)]),
    ...(note === undefined ? [] : [note]),
    ...checks.flatMap((check) =>
      bad.includes(check) ? [checkWords(check), check.tail] : [checkWords(check)],
    ),
  ];
  const level = blocked ? 'error' : bad.length > 0 || note !== undefined ? 'warn' : 'info';
  const text = `workspace: ${parts.join('; ') || 'not checked'}`;
  return { level, text, detail: lines.join('\n') || null };
}

function gates({ commands, from }: RunnerGates): Notice {
  const names = commands.map(({ name }) => name).join(', ');
  const whose = from === 'repository' ? 'by the repository' : 'by its configuration';
  const detail = commands.map(({ name, command }) => `${name}: ${command}`).join('\n');
  return { level: 'info', text: `must pass before it is done, ${whose}: ${names}`, detail };
}

/** `limited`: a provider's limit has ended its run. */
function exit(body: RunnerExit, limited: boolean): Notice {
  const detail = [body.detail, body.stderr].filter(Boolean).join('\n') || null;
  switch (body.reason) {
    case 'stopped':
      return { level: 'info', text: 'stopped', detail };
    case 'handoff':
      return {
        level: 'info',
        text: limited
          ? "ended at the provider's limit: another process goes on"
          : 'ended: a fresh process goes on',
        detail,
      };
    case 'lost':
      return { level: 'error', text: 'lost: its process ended and nobody saw how', detail };
    case 'limit':
      return {
        level: 'error',
        text: `ended at a limit${body.detail ? `: ${body.detail}` : ''}`,
        detail: body.stderr || null,
      };
    case 'exited':
      if (body.signal !== null) return { level: 'error', text: `killed by ${body.signal}`, detail };
      if (body.code === null)
        return { level: 'error', text: 'exited, its code is unknown', detail };
      return {
        level: body.code === 0 ? 'info' : 'error',
        text: `exited with code ${body.code}`,
        detail,
      };
  }
}
