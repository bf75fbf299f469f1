import {
  ControlToRunner,
  type ControlToWorker,
  type Executor,
  LINK_VERSION,
  type Order,
  type RunnerId,
} from '@filepath/protocol';
import { type Log, reasonOf } from '../log.ts';
import { linkUrl, Socket } from './socket.ts';

export type ControlLinkOptions = {
  url: string;
  token: string;
  runner: RunnerId;
  reconnectMs: number;
  executors: readonly Executor[];
  log: Log;
  /** Resolves when the order will be carried out whatever happens to this process. */
  take(order: Order): Promise<void>;
};

/** The runner's one control socket. An order is answered when it is safe; the worker repeats it until then. */
export class ControlLink {
  readonly #options: ControlLinkOptions;
  readonly #socket: Socket;

  constructor(options: ControlLinkOptions) {
    this.#options = options;
    this.#socket = new Socket({
      url: linkUrl(options.url, `/link/runner/${options.runner}`),
      token: options.token,
      reconnectMs: options.reconnectMs,
      log: options.log,
      onOpen: () => {
        const executors = [...options.executors];
        this.#send({ t: 'hello', v: LINK_VERSION, runner: options.runner, executors });
      },
      onMessage: (text) => this.#receive(text),
      onDown: () => undefined,
    });
  }

  open(): void {
    this.#socket.dial();
  }

  close(): void {
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
    if (frame.t === 'welcome') {
      log({ level: 'info', event: 'link-up', message: `linked to ${this.#options.url}` });
      return;
    }
    const { order } = frame;
    const { kind, thread } = frame.do;
    this.#options.take(frame.do).then(
      () => {
        this.#send({ t: 'taken', order });
        log({ level: 'info', event: 'order-taken', message: `${kind} taken`, thread });
      },
      (error: unknown) => {
        const message = `${kind} not taken: ${reasonOf(error)}`;
        log({ level: 'error', event: 'order-failed', message, thread });
      },
    );
  }

  #send(frame: ControlToWorker): void {
    this.#socket.send(JSON.stringify(frame));
  }
}
