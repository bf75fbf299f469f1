import {
  AgentToRunner,
  type AgentToWorker,
  type InputLine,
  LINK_VERSION,
  type RunnerBody,
  type RunnerId,
  type ThreadId,
} from '@filepath/protocol';
import { type Log, reasonOf } from '../log.ts';
import type { LinesFrame } from '../spool/reader.ts';
import { linkUrl, Socket } from './socket.ts';

const WINDOW_FRAMES = 4;
/** Frames made in one go before other agents have their turn. */
const TURN_FRAMES = 2;
/** A frame or an answer got lost on the way: a new connection finds out. */
const STALL_MS = 15_000;

/** What an epoch has to tell. */
export type Source = {
  /** Whether lines may be sent: they come after the start is told. */
  readable(): boolean;
  /** The worker has stored this much. */
  resume(offset: number, observed: number): void;
  /** The next lines; null if there are none now. */
  next(): LinesFrame | null;
  /** Whether every line there will ever be has been given out by `next`. */
  exhausted(): boolean;
  observations(): number;
  observation(id: number): RunnerBody | null;
  inputs(): number;
  /** Says whether it is written; where not, `written` follows. */
  input(line: InputLine): boolean;
  acknowledged(offset: number, observed: number): void;
  over(reason: 'ended' | 'fenced' | 'deleted'): void;
};

export type AgentLinkOptions = {
  url: string;
  token: string;
  runner: RunnerId;
  /** Where the process runs; none where there is no process to speak for. */
  home?: string;
  thread: ThreadId;
  epoch: number;
  reconnectMs: number;
  log: Log;
};

/** One epoch's socket to its thread. All it knows is lost with the connection; `welcome` says where to go on. */
export class AgentLink {
  readonly #options: AgentLinkOptions;
  readonly #source: Source;
  readonly #socket: Socket;
  #welcomed = false;
  /** Ends of the frames that are not acknowledged. */
  #inFlight: number[] = [];
  #told = 0;
  #toldAcknowledged = 0;
  #heard = Date.now();
  #turn: NodeJS.Immediate | null = null;

  constructor(options: AgentLinkOptions, source: Source) {
    this.#options = options;
    this.#source = source;
    const { runner, epoch, home } = options;
    this.#socket = new Socket({
      url: linkUrl(options.url, `/link/thread/${options.thread}`),
      token: options.token,
      reconnectMs: options.reconnectMs,
      log: options.log,
      onOpen: () => {
        this.#heard = Date.now();
        const inputs = source.inputs();
        const claim = home === undefined ? {} : { home };
        this.#send({ t: 'hello', v: LINK_VERSION, runner, epoch, inputs, ...claim });
      },
      onMessage: (text) => this.#receive(text),
      onDown: () => {
        this.#welcomed = false;
      },
    });
  }

  open(): void {
    this.#socket.dial();
  }

  close(): void {
    this.#welcomed = false;
    if (this.#turn !== null) clearImmediate(this.#turn);
    this.#socket.close();
  }

  /** To be called now and then: dials again where an answer is overdue. */
  check(): void {
    const waits =
      !this.#welcomed || this.#inFlight.length > 0 || this.#told > this.#toldAcknowledged;
    if (!waits) this.#heard = Date.now();
    if (Date.now() - this.#heard < STALL_MS) return;
    this.#heard = Date.now();
    this.#socket.drop();
  }

  written(input: number): void {
    this.#send({ t: 'written', input });
  }

  /** Sends what there is to send, as far as the window allows. */
  pump(): void {
    if (!this.#welcomed) return;
    this.#tell(false);
    if (!this.#source.readable()) return;
    for (let made = 0; this.#inFlight.length < WINDOW_FRAMES; made++) {
      if (made === TURN_FRAMES) return this.#later();
      const frame = this.#source.next();
      if (frame === null) break;
      this.#inFlight.push(frame.to);
      this.#socket.send(frame.text);
    }
    if (this.#inFlight.length === 0 && this.#source.exhausted()) this.#tell(true);
  }

  /** Observations in order; the terminal one only once every line is acknowledged. */
  #tell(drained: boolean): void {
    while (this.#told < this.#source.observations()) {
      const id = this.#told + 1;
      const body = this.#source.observation(id);
      if (body?.type === 'exit' && !drained) return;
      this.#told = id;
      if (body !== null) this.#send({ t: 'observed', id, body });
    }
  }

  #later(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = null;
      this.pump();
    });
  }

  #receive(text: string): void {
    const { log, thread, epoch } = this.#options;
    try {
      const frame = AgentToRunner.parse(JSON.parse(text));
      // That somebody is there is no answer to what was sent.
      if (frame.t !== 'here') this.#act(frame);
    } catch (error) {
      const message = reasonOf(error).slice(0, 500);
      log({ level: 'error', event: 'frame-rejected', message, thread, epoch });
      this.#socket.drop();
    }
  }

  #act(frame: Exclude<AgentToRunner, { t: 'here' }>): void {
    this.#heard = Date.now();
    switch (frame.t) {
      case 'welcome':
        this.#socket.confirmed();
        this.#welcomed = true;
        this.#inFlight = [];
        this.#told = frame.observed;
        this.#toldAcknowledged = frame.observed;
        this.#source.resume(frame.offset, frame.observed);
        return this.pump();
      case 'ack':
        this.#inFlight = this.#inFlight.filter((end) => end > frame.offset);
        this.#toldAcknowledged = frame.observed;
        this.#source.acknowledged(frame.offset, frame.observed);
        return this.pump();
      case 'input':
        if (this.#source.input(frame.input)) this.written(frame.input.id);
        return;
      case 'over':
        return this.#source.over(frame.reason);
    }
  }

  #send(frame: AgentToWorker): void {
    this.#socket.send(JSON.stringify(frame));
  }
}
