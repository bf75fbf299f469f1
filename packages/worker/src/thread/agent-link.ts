import type { AgentToRunner } from '@filepath/protocol';
import { AgentToWorker, type InputLine, type RunnerBody, type SpoolLine } from '@filepath/protocol';
import type { Effects, Thread } from './thread.ts';
import type { Offloaded } from './lines.ts';

/** A runner's socket for this thread's agent. */
export interface LinkSocket {
  readonly runner: string;
  /** The epoch it said hello for; 0 before. */
  epoch: number;
  send(text: string): void;
  close(code: number, reason: string): void;
}

export type LinkHooks = {
  publish(effects: Effects): void;
  offload(lines: readonly SpoolLine[]): Promise<Offloaded> | null;
  redact(text: string): string;
};

/** Closed with this code, a runner connects again and is told where to go on. */
const RESYNC = 4000;

/**
 * The thread's side of the link to the agent's runner. Frames must be given one at a time, each after the one
 * before is handled.
 */
export class AgentLink {
  #thread: Thread;
  #hooks: LinkHooks;
  #current: LinkSocket | null = null;

  constructor(thread: Thread, hooks: LinkHooks) {
    this.#thread = thread;
    this.#hooks = hooks;
  }

  /** A greeted socket that outlived the object's memory. */
  restore(socket: LinkSocket): void {
    const { epoch, active } = this.#thread.state.launch;
    if (active && socket.epoch === epoch) this.#current = socket;
  }

  leave(socket: LinkSocket): void {
    if (this.#current === socket) this.#current = null;
  }

  sendInputs(inputs: readonly InputLine[]): void {
    for (const input of inputs) {
      if (this.#current) send(this.#current, { t: 'input', input });
    }
  }

  end(reason: 'ended' | 'fenced' | 'deleted'): void {
    if (!this.#current) return;
    send(this.#current, { t: 'over', reason });
    this.#current.epoch = 0;
    this.#current = null;
  }

  async receive(socket: LinkSocket, text: string): Promise<void> {
    const frame = parseFrame(text);
    if (!frame) {
      socket.close(1008, 'frame not understood');
      return;
    }
    if (frame.t === 'hello') {
      this.#hello(socket, frame);
      return;
    }
    if (socket !== this.#current) {
      socket.close(RESYNC, 'say hello first');
      return;
    }
    if (frame.t === 'here') send(socket, { t: 'here' });
    else if (frame.t === 'lines') await this.#lines(socket, frame.from, frame.lines);
    else if (frame.t === 'observed') this.#observed(socket, frame.id, frame.body);
    else this.#thread.written(frame.input);
  }

  #hello(socket: LinkSocket, hello: Extract<AgentToWorker, { t: 'hello' }>): void {
    const { launch } = this.#thread.state;
    const { runner } = this.#thread.meta;
    if (hello.runner !== socket.runner || hello.runner !== runner || hello.epoch > launch.epoch) {
      send(socket, { t: 'over', reason: 'fenced' });
      return;
    }
    // Nobody was ordered to start it yet.
    if (hello.epoch === launch.epoch && launch.waits) {
      socket.close(RESYNC, 'this epoch waits for its start');
      return;
    }
    if (hello.epoch < launch.epoch || !launch.active) {
      send(socket, { t: 'over', reason: 'ended' });
      return;
    }
    if (hello.home !== undefined && !this.#thread.claim(hello.home)) {
      send(socket, { t: 'over', reason: 'fenced' });
      return;
    }
    const old = this.#current;
    if (old && old !== socket) {
      old.epoch = 0;
      old.close(RESYNC, 'replaced by a newer connection');
    }
    this.#current = socket;
    socket.epoch = hello.epoch;
    if (hello.inputs > 0) this.#thread.written(hello.inputs);
    send(socket, { t: 'welcome', offset: launch.offset, observed: launch.observed });
    this.sendInputs(this.#thread.pendingInputs(hello.inputs));
  }

  async #lines(socket: LinkSocket, from: number, raw: readonly SpoolLine[]): Promise<void> {
    const lines = raw.map(([end, text, ...rest]): SpoolLine =>
      rest.length === 2
        ? [end, this.#hooks.redact(text), ...rest]
        : [end, this.#hooks.redact(text)],
    );
    const offloaded = await (this.#hooks.offload(lines) ?? NONE);
    // The thread may have been deleted meanwhile.
    if (socket !== this.#current) return;
    this.#take(socket, this.#thread.lines(from, lines, offloaded));
  }

  #observed(socket: LinkSocket, id: number, raw: RunnerBody): void {
    const body = JSON.parse(this.#hooks.redact(JSON.stringify(raw))) as RunnerBody;
    if (body.epoch !== this.#thread.state.launch.epoch) {
      socket.close(1008, 'observation of another epoch');
      return;
    }
    this.#take(socket, this.#thread.observed(id, body));
  }

  #take(socket: LinkSocket, effects: Effects | 'resync'): void {
    if (effects === 'resync') {
      socket.close(RESYNC, 'something is missing before this frame');
      return;
    }
    const { epoch, active, offset, observed } = this.#thread.state.launch;
    if (active && epoch === socket.epoch) send(socket, { t: 'ack', offset, observed });
    else this.end('ended');
    this.#hooks.publish(effects);
  }
}

const NONE: Offloaded = new Map();

function send(socket: LinkSocket, frame: AgentToRunner): void {
  try {
    socket.send(JSON.stringify(frame));
  } catch {
    // A socket that closed meanwhile: its runner resumes on the next one.
  }
}

function parseFrame(text: string): AgentToWorker | null {
  try {
    return AgentToWorker.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
