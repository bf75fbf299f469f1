import { relative } from 'node:path';
import type { AgentEvent } from '@filepath/protocol';
import type { Change, Item } from './notifications.ts';

type WorkEvent = Extract<AgentEvent, { type: 'tool' | 'command' }>;

/** Items that are no work of a tool. */
const NO_WORK = new Set([
  'userMessage',
  'agentMessage',
  'reasoning',
  'plan',
  'hookPrompt',
  'functionCallOutput',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
]);

/** The event that an item opens or, with an end, closes; null if the item is no tool's. */
export function workOf(item: Item, parent: string | undefined, cwd: string): WorkEvent | null {
  if (NO_WORK.has(item.type)) return null;
  const common = {
    id: item.id.slice(0, 128),
    ...(parent === undefined ? {} : { parent }),
    ...(typeof item.durationMs === 'number' ? { durationMs: item.durationMs } : {}),
  };
  if (item.type === 'commandExecution') {
    return { type: 'command', cmd: unwrapped(item.command ?? ''), status: 'start', ...common };
  }
  if (item.type === 'fileChange') {
    const paths = (item.changes ?? []).map(({ path }) => shown(path, cwd));
    return {
      type: 'tool',
      name: 'edit',
      ...(paths[0] === undefined ? {} : { path: paths[0] }),
      status: 'start',
      ...common,
      input: { paths },
    };
  }
  const input = item.arguments ?? item.query ?? item.prompt ?? item.path;
  const name = [item.server, item.tool ?? item.type].filter(Boolean).join('.');
  return {
    type: 'tool',
    name,
    status: 'start',
    ...common,
    ...(input === undefined || input === null ? {} : { input }),
  };
}

/** The same with its end. */
export function endedWork(item: Item, parent: string | undefined, cwd: string): WorkEvent | null {
  const work = workOf(item, parent, cwd);
  if (work === null) return null;
  const well = !['failed', 'declined'].includes(item.status ?? '') && !item.error;
  if (work.type === 'command') {
    const exit = item.exitCode;
    return {
      ...work,
      status: well && (exit ?? 0) === 0 ? 'done' : 'error',
      ...(typeof exit === 'number' ? { exit } : {}),
      stdout: item.aggregatedOutput ?? '',
      ...(item.status === 'declined' ? { stderr: 'declined' } : {}),
    };
  }
  const diff = item.changes ? diffOf(item.changes, cwd) : '';
  const output = item.error?.message ?? (item.status === 'declined' ? 'declined' : outputOf(item));
  const { input: _input, ...head } = work;
  return {
    ...head,
    status: well ? 'done' : 'error',
    ...(output === undefined ? {} : { output }),
    ...(well && diff !== '' ? { diff } : {}),
  };
}

function outputOf(item: Item): string | undefined {
  const { result } = item;
  if (result === undefined || result === null) return undefined;
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** codex runs `bash -lc '…'`: what was meant is inside. */
function unwrapped(command: string): string {
  const inner = /^(?:\/\S*\/)?(?:ba|z|da)?sh -l?c (.*)$/s.exec(command)?.[1];
  if (inner === undefined) return command;
  const quoted = /^'((?:[^']|'\\''|'"'"')*)'$/s.exec(inner)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/'\\''|'"'"'/g, "'");
  const double = /^"((?:[^"\\]|\\.)*)"$/s.exec(inner)?.[1];
  return double === undefined ? inner : double.replaceAll(/\\(["\\$`])/g, '$1');
}

/** A diff with its heads: codex gives the hunks of a change, and the whole content of a new or removed file. */
function diffOf(changes: readonly Change[], cwd: string): string {
  return changes
    .map(({ path, kind, diff }) => {
      const name = shown(path, cwd);
      if (kind.type === 'add') return `--- /dev/null\n+++ b/${name}\n${whole(diff, '+')}`;
      if (kind.type === 'delete') return `--- a/${name}\n+++ /dev/null\n${whole(diff, '-')}`;
      const to = typeof kind.move_path === 'string' ? shown(kind.move_path, cwd) : name;
      return `--- a/${name}\n+++ b/${to}\n${ended(diff)}`;
    })
    .join('');
}

function whole(content: string, sign: '+' | '-'): string {
  if (content.startsWith('@@')) return ended(content);
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const head = sign === '+' ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`;
  return `${head}\n${lines.map((line) => `${sign}${line}\n`).join('')}`;
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function shown(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return path.startsWith('/') && inside !== '' && !inside.startsWith('..') ? inside : path;
}
