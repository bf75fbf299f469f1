import {
  type Answer,
  type CatalogReport,
  ControlToRunner,
  type ControlToWorker,
  type Executor,
  type JobId,
  LINK_VERSION,
  type Order,
  type Question,
  type RunnerId,
} from '@filepath/protocol';
import { type Log, reasonOf } from '../log.ts';
import { Retries } from '../retries.ts';
import { linkUrl, Socket } from './socket.ts';

export type ControlLinkOptions = {
  url: string;
  token: string;
  runner: RunnerId;
  reconnectMs: number;
  executors: readonly Executor[];
  catalog(): CatalogReport;
  log: Log;
  /** Resolves when the order will be carried out whatever happens to this process. */
  take(order: Order): Promise<void>;
  /** The worker is there: what it may not have is to be said again. */
  onLinked(): void;
  onStored(job: JobId): void;
  answer(question: Question): Promise<Answer>;
};

/** The runner's one control socket. An order is answered when it is safe; the worker repeats it until then. */
export class ControlLink {
  readonly #options: ControlLinkOptions;
  readonly #socket: Socket;
  readonly #retries = new Retries();

  constructor(options: ControlLinkOptions) {
    this.#options = options;
    this.#socket = new Socket({
      url: linkUrl(options.url, `/link/runner/${options.runner}`),
      token: options.token,
      reconnectMs: options.reconnectMs,
      log: options.log,
      onOpen: () => {
        const executors = [...options.executors];
        const catalog = options.catalog();
        this.send({ t: 'hello', v: LINK_VERSION, runner: options.runner, executors, catalog });
      },
      onMessage: (text) => this.#receive(text),
      onDown: () => undefined,
    });
  }

  open(): void {
    this.#socket.dial();
  }

  close(): void {
    this.#retries.close();
    this.#socket.close();
  }

  #receive(text: string): void {
    const { log } = this.#options;
    let frame: ControlToRunner;
    try {
      frame = ControlToRunner.parse(JSON.parse(text));
    } catch (error) {
      log({ level: 'error', event: 'frame-rejected', message: reasonOf(error).slice(0, 500) });
      return;
    }
    this.#socket.confirmed();
    if (frame.t === 'here') return;
    if (frame.t === 'welcome') {
      log({ level: 'info', event: 'link-up', message: `linked to ${this.#options.url}` });
      this.#options.onLinked();
      return;
    }
    if (frame.t === 'stored') {
      this.#options.onStored(frame.job);
      return;
    }
    if (frame.t === 'ask') {
      void this.#answer(frame.ask, frame.question);
      return;
    }
    this.#take(frame.order, frame.do);
  }

  async #answer(ask: number, question: Question): Promise<void> {
    this.send({ t: 'answer', ask, answer: await this.#options.answer(question) });
  }

  /** The worker repeats an order only on a new connection: what fails is tried again here. */
  #take(number: number, order: Order): void {
    const { log } = this.#options;
    const { kind, thread } = order;
    const carryOut = async (): Promise<void> => {
      await this.#options.take(order);
      this.send({ t: 'taken', order: number });
      log({ level: 'info', event: 'order-taken', message: `${kind} taken`, thread });
    };
    this.#retries.run(`${thread}/${number}`, carryOut, (error) => {
      const message = `${kind} not taken, tried again: ${reasonOf(error)}`;
      log({ level: 'error', event: 'order-failed', message, thread });
    });
    // A start that waits for its next try is called off by this one: it need not wait longer.
    if (kind !== 'start') this.#retries.hurry(`${thread}/`);
  }

  /** Dropped where the link is down. */
  send(frame: ControlToWorker): void {
    this.#socket.send(JSON.stringify(frame));
  }
}
