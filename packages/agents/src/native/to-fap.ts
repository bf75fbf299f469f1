import type { AgentEvent } from '@filepath/protocol';
import { cutMiddle, type LoopEvent, type ToolResult } from '@filepath/loop';

const MAX_OUTPUT = 64 * 1024;
const MAX_TEXT = 512 * 1024;
const MAX_REASON = 2_000;

/** Says in FAP what a loop tells. */
export function fapOf(
  model: string,
  emit: (event: AgentEvent) => void,
): (event: LoopEvent) => void {
  let pct: number | undefined;
  const status = (state: 'thinking' | 'running', more: { reason?: string; until?: string } = {}) =>
    emit({
      type: 'status',
      state,
      ...(pct === undefined ? {} : { context_pct: pct }),
      ...more,
    });
  return (event) => {
    switch (event.type) {
      case 'message':
        return;
      case 'step':
        return status('thinking');
      case 'text-delta':
        return emit({ type: 'text', id: event.id, partial: true, content: event.delta });
      case 'text':
        return emit({ type: 'text', id: event.id, content: cutMiddle(event.text, MAX_TEXT) });
      case 'usage': {
        pct = event.contextPct;
        const { input, output, cacheRead, cacheWrite } = event.tokens;
        emit({ type: 'usage', model, input, output, cacheRead, cacheWrite });
        return status('running');
      }
      case 'tool-start':
        return emit(started(event));
      case 'tool-end':
        return emit(ended(event));
      case 'retry': {
        const reason = `waits ${event.seconds} s: ${event.reason}`.slice(0, MAX_REASON);
        const until = new Date(Date.now() + event.seconds * 1000).toISOString();
        return status('thinking', { reason, until });
      }
    }
  };
}

type Start = Pick<Extract<LoopEvent, { type: 'tool-start' }>, 'id' | 'name' | 'input'>;

function started(event: Start): AgentEvent {
  const id = event.id.slice(0, 128);
  const cmd = commandOf(event);
  if (cmd !== null) return { type: 'command', id, cmd, status: 'start' };
  const { name, input } = event;
  const path = field(input, 'path');
  return {
    type: 'tool',
    id,
    name,
    status: 'start',
    input: bounded(input),
    ...(path ? { path } : {}),
  };
}

function ended(event: Extract<LoopEvent, { type: 'tool-end' }>): AgentEvent {
  const { name, result, durationMs } = event;
  const id = event.id.slice(0, 128);
  const status = result.ok ? 'done' : 'error';
  const cmd = commandOf(event);
  if (cmd !== null) return { type: 'command', id, cmd, ...commandEnd(result), durationMs };
  const path = field(event.input, 'path');
  const diff = field(result.detail, 'diff');
  return {
    type: 'tool',
    id,
    name,
    status,
    output: cutMiddle(result.text, MAX_OUTPUT),
    durationMs,
    ...(path ? { path } : {}),
    ...(diff ? { diff: cutMiddle(diff, MAX_OUTPUT) } : {}),
  };
}

function commandOf({ name, input }: Start): string | null {
  return name === 'bash' ? (field(input, 'command') ?? '') : null;
}

/** A command that ran is `done` with its exit status, whatever that is; one that did not run is an error. */
function commandEnd({
  text,
  detail,
}: ToolResult): Pick<
  Extract<AgentEvent, { type: 'command' }>,
  'status' | 'exit' | 'stdout' | 'stderr'
> {
  const exit: unknown = detail?.['exit'];
  if (typeof exit !== 'number') return { status: 'error', stderr: cutMiddle(text, MAX_OUTPUT) };
  return {
    status: exit === 0 ? 'done' : 'error',
    exit,
    stdout: cutMiddle(field(detail, 'stdout') ?? '', MAX_OUTPUT),
    stderr: cutMiddle(field(detail, 'stderr') ?? '', MAX_OUTPUT),
  };
}

function field(of: unknown, key: string): string | undefined {
  if (typeof of !== 'object' || of === null) return undefined;
  const value: unknown = Reflect.get(of, key);
  return typeof value === 'string' ? value : undefined;
}

/** An input as it is shown: what a file is to hold is in the diff. */
function bounded(input: unknown): unknown {
  const json = JSON.stringify(input, (_key, value: unknown) =>
    typeof value === 'string' ? cutMiddle(value, 4_000) : value,
  );
  return json !== undefined && json.length <= MAX_OUTPUT
    ? (JSON.parse(json) as unknown)
    : '(too large)';
}
