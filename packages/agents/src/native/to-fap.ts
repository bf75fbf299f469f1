import type { AgentEvent } from '@filepath/protocol';
import type { LoopEvent } from '@filepath/loop';
import { cutMiddle, KEPT_OUTPUT } from '../driver/caps.ts';
import type { Voice } from '../driver/voice.ts';

/** Of a string in a tool's input: what a file is to hold is in its diff. */
const KEPT_INPUT = 4_000;
const MAX_REASON = 2_000;

/** Says in FAP what a loop tells. */
export function tell(event: LoopEvent, voice: Voice, model: string): void {
  switch (event.type) {
    case 'message':
    case 'tool-input-start':
    case 'tool-input-delta':
      return;
    case 'step':
      return voice.working();
    case 'text-delta':
      return voice.say({ type: 'text', id: event.id, partial: true, content: event.delta });
    case 'text':
      return voice.say({ type: 'text', id: event.id, content: event.text });
    case 'usage': {
      const { input, output, cacheRead, cacheWrite } = event.tokens;
      voice.say({ type: 'usage', model, input, output, cacheRead, cacheWrite });
      return voice.working({ contextPct: event.contextPct });
    }
    case 'tool-start':
      voice.say(started(event));
      return voice.working();
    case 'tool-end':
      return voice.say(ended(event));
    case 'retry': {
      const waits = event.seconds > 0;
      const what = waits ? `waits ${event.seconds} s` : 'tries again';
      const reason = `${what}: ${event.reason}`.slice(0, MAX_REASON);
      return voice.working({
        reason,
        ...(waits && { until: new Date(event.at).toISOString() }),
      });
    }
  }
}

type Start = Extract<LoopEvent, { type: 'tool-start' }>;
type End = Extract<LoopEvent, { type: 'tool-end' }>;

function started({ name, input, id }: Omit<Start, 'type'>): AgentEvent {
  const common = { id: id.slice(0, 128), status: 'start' as const };
  if (name === 'bash') return { type: 'command', ...common, cmd: field(input, 'command') ?? '' };
  return { type: 'tool', ...common, name, ...pathOf(input), input: shortened(input) };
}

function ended({ name, input, id, result, durationMs }: End): AgentEvent {
  const common = { id: id.slice(0, 128), durationMs };
  const status = result.ok ? ('done' as const) : ('error' as const);
  if (name === 'bash') {
    const exit: unknown = result.detail?.['exit'];
    const cmd = field(input, 'command') ?? '';
    return typeof exit === 'number'
      ? { type: 'command', ...common, cmd, status, exit, ...outputsOf(result.detail) }
      : { type: 'command', ...common, cmd, status, stderr: result.text };
  }
  const diff = field(result.detail, 'diff');
  return {
    type: 'tool',
    ...common,
    name,
    status,
    ...pathOf(input),
    output: result.text,
    ...(diff ? { diff } : {}),
  };
}

function outputsOf(detail: unknown): { stdout: string; stderr: string } {
  return { stdout: field(detail, 'stdout') ?? '', stderr: field(detail, 'stderr') ?? '' };
}

function pathOf(input: unknown): { path?: string } {
  const path = field(input, 'path');
  return path === undefined ? {} : { path };
}

function field(of: unknown, key: string): string | undefined {
  if (typeof of !== 'object' || of === null) return undefined;
  const value: unknown = Reflect.get(of, key);
  return typeof value === 'string' ? value : undefined;
}

function shortened(input: unknown): unknown {
  const json = JSON.stringify(input, (_key, value: unknown) =>
    typeof value === 'string' ? cutMiddle(value, KEPT_INPUT) : value,
  );
  if (json === undefined) return null;
  return json.length <= KEPT_OUTPUT ? (JSON.parse(json) as unknown) : cutMiddle(json, KEPT_INPUT);
}
