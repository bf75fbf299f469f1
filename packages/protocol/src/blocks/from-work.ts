import type { AgentEvent } from '../fap/events.ts';
import type { Base, CommandBlock, ToolBlock } from './block.ts';

type ToolEvent = Extract<AgentEvent, { type: 'tool' }>;
type CommandEvent = Extract<AgentEvent, { type: 'command' }>;
type WorkEvent = ToolEvent | CommandEvent;

/** A tool block with what the event adds; what it leaves out stays as it was. */
export function toolBlock(
  base: Base,
  event: ToolEvent,
  before?: ToolBlock,
  at: string = base.at,
): ToolBlock {
  return {
    ...base,
    kind: 'tool',
    name: event.name,
    path: event.path ?? before?.path ?? null,
    status: event.status,
    input: event.input ?? before?.input ?? null,
    output: event.output ?? before?.output ?? null,
    diff: event.diff ?? before?.diff ?? null,
    durationMs: durationOf(event, before, at),
  };
}

export function commandBlock(
  base: Base,
  event: CommandEvent,
  before?: CommandBlock,
  at: string = base.at,
): CommandBlock {
  return {
    ...base,
    kind: 'command',
    cmd: event.cmd,
    status: event.status,
    exit: event.exit ?? before?.exit ?? null,
    stdout: event.stdout ?? before?.stdout ?? null,
    stderr: event.stderr ?? before?.stderr ?? null,
    durationMs: durationOf(event, before, at),
  };
}

/** What the agent says of it; else, once it has ended, the time between its first event and `at`. */
function durationOf(
  { durationMs, status }: WorkEvent,
  before: ToolBlock | CommandBlock | undefined,
  at: string,
): number | null {
  const said = durationMs ?? before?.durationMs ?? null;
  if (said !== null || status === 'start' || before === undefined) return said;
  const between = Date.parse(at) - Date.parse(before.at);
  return between >= 0 ? between : null;
}
