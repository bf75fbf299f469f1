import { createHash } from 'node:crypto';
import type { AgentEvent } from '@filepath/protocol';
import type { Voice } from '../driver/voice.ts';
import {
  commandOf,
  diffOf,
  exitOf,
  inputOf,
  nameOf,
  outputChunk,
  outputOf,
  parentOf,
  pathOf,
  stderrOf,
  wasCutOff,
} from './facts.ts';
import { planOf } from './plan.ts';
import type { ToolCall } from './wire.ts';

type WorkEvent = Extract<AgentEvent, { type: 'tool' | 'command' }>;
type Work = {
  call: ToolCall;
  name: string;
  streamed: string;
  /** The event that began it; its name is that of its end. */
  start: WorkEvent | null;
};

const KEPT_STREAM = 256 * 1024;
const ENDED = new Set(['completed', 'failed', 'cancelled']);
/** Ended calls are kept for a while: a program may tell of one again. */
const KEPT_CALLS = 1000;

/** Tool calls by their id: they are told in parts, and one may be asked for before it is announced. */
export class ToolCalls {
  #voice: Voice;
  #cwd: string;
  /** The turn is being interrupted: a command that ends now without an exit status was cut off. */
  interrupted = false;
  #works = new Map<string, Work>();
  #ended = new Set<string>();

  constructor(voice: Voice, cwd: string) {
    this.#voice = voice;
    this.#cwd = cwd;
  }

  update(part: ToolCall): void {
    const id = eventId(part.toolCallId);
    if (this.#ended.has(id)) return;
    const work = this.#merge(id, part);
    const ended = ENDED.has(work.call.status ?? '');
    // Before its input is known a call has no more than a name.
    if (!work.start && (ended || isKnown(work.call))) {
      work.start = this.#startOf(id, work);
      this.#voice.say(work.start);
    }
    if (ended && work.start) this.#end(id, work, work.start);
  }

  /** The call as it is known so far, for a person who is asked whether it may run. */
  known(part: ToolCall): ToolCall {
    return this.#works.get(eventId(part.toolCallId))?.call ?? part;
  }

  #merge(id: string, part: ToolCall): Work {
    const known = this.#works.get(id);
    const call = known ? merged(known.call, part) : part;
    const streamed = ((known?.streamed ?? '') + outputChunk(part)).slice(-KEPT_STREAM);
    const work: Work = known
      ? { ...known, call, streamed }
      : { call, streamed, name: nameOf(part), start: null };
    this.#works.set(id, work);
    return work;
  }

  #startOf(id: string, { call, name }: Work): WorkEvent {
    const parent = parentOf(call);
    const rest = {
      status: 'start' as const,
      id,
      input: inputOf(call),
      ...(parent === undefined ? {} : { parent }),
    };
    const cmd = commandOf(call);
    if (cmd !== null) return { type: 'command', cmd, ...rest };
    const path = pathOf(call, this.#cwd);
    return { type: 'tool', name, ...(path === undefined ? {} : { path }), ...rest };
  }

  #end(id: string, work: Work, start: WorkEvent): void {
    const { call } = work;
    const exit = exitOf(call);
    const output = outputOf(call, work.streamed);
    const stderr = stderrOf(call);
    const diff = diffOf(call, this.#cwd);
    const cutOff = (this.interrupted && exit === undefined) || wasCutOff(call);
    const failed = call.status !== 'completed' || (exit ?? 0) !== 0 || cutOff;
    const rest = {
      status: failed ? ('error' as const) : ('done' as const),
      id,
      ...(diff === undefined ? {} : { diff }),
      ...(start.parent === undefined ? {} : { parent: start.parent }),
    };
    if (start.type === 'command') {
      this.#voice.say({
        type: 'command',
        cmd: start.cmd,
        ...(exit === undefined ? {} : { exit }),
        ...(output === undefined ? {} : { stdout: output }),
        ...(stderr === undefined ? {} : { stderr }),
        ...rest,
      });
    } else {
      const path = start.path ?? pathOf(call, this.#cwd);
      this.#voice.say({
        type: 'tool',
        name: start.name,
        ...(path === undefined ? {} : { path }),
        ...(output === undefined ? {} : { output }),
        ...rest,
      });
    }
    const plan = failed ? null : planOf(inputOf(call)['todos']);
    if (plan) this.#voice.say(plan);
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#works.delete(id);
    this.#ended.add(id);
    const [oldest] = this.#ended;
    if (this.#ended.size > KEPT_CALLS && oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** What a part leaves out stays as it was. */
function merged(known: ToolCall, part: ToolCall): ToolCall {
  const told = Object.entries(part).filter(([, value]) => value !== null && value !== undefined);
  const { rawInput, _meta: meta } = part;
  return {
    ...known,
    ...Object.fromEntries(told),
    toolCallId: known.toolCallId,
    ...(rawInput === undefined ? {} : { rawInput: { ...inputOf(known), ...inputOf(part) } }),
    _meta: { ...known._meta, ...meta },
  };
}

function isKnown(call: ToolCall): boolean {
  if (call.kind === 'execute') return typeof inputOf(call)['command'] !== 'undefined';
  return call.status === 'in_progress' || Object.keys(inputOf(call)).length > 0;
}

function eventId(toolCallId: string): string {
  return toolCallId.length <= 128
    ? toolCallId
    : createHash('sha256').update(toolCallId).digest('hex');
}
