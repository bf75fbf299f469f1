import type { AgentEvent } from '../fap/events.ts';
import type { Base, CommandBlock, ToolBlock } from './block.ts';

type ToolEvent = Extract<AgentEvent, { type: 'tool' }>;
type CommandEvent = Extract<AgentEvent, { type: 'command' }>;

/** A tool block with what the event adds; what it leaves out stays as it was. */
export function toolBlock(base: Base, event: ToolEvent, before?: ToolBlock): ToolBlock {
  return {
    ...base,
    kind: 'tool',
    name: event.name,
    path: event.path ?? before?.path ?? null,
    status: event.status,
    input: event.input ?? before?.input ?? null,
    output: event.output ?? before?.output ?? null,
    diff: event.diff ?? before?.diff ?? null,
    durationMs: event.durationMs ?? before?.durationMs ?? null,
  };
}

export function commandBlock(base: Base, event: CommandEvent, before?: CommandBlock): CommandBlock {
  return {
    ...base,
    kind: 'command',
    cmd: event.cmd,
    status: event.status,
    exit: event.exit ?? before?.exit ?? null,
    stdout: event.stdout ?? before?.stdout ?? null,
    stderr: event.stderr ?? before?.stderr ?? null,
    durationMs: event.durationMs ?? before?.durationMs ?? null,
  };
}
