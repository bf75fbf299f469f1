import {
  AgentToRunner,
  ControlToRunner,
  type Limits,
  LINK_VERSION,
  type Order,
  type SpoolLine,
  type ThreadId,
} from '@filepath/protocol';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { RUNNER } from './api.ts';
import { inStorage } from './faults.ts';
import { TestSocket } from './socket.ts';

const STATE = `SELECT value FROM meta WHERE key = 'state'`;

/** The control side of a runner that takes every order. */
export class TestRunner {
  readonly socket: TestSocket;

  private constructor(socket: TestSocket) {
    this.socket = socket;
  }

  static async connect(more: { limits?: Limits; catalog?: unknown } = {}): Promise<TestRunner> {
    const { limits, catalog } = more;
    const socket = await TestSocket.open('/link/runner/rn_local', RUNNER);
    const executors = [{ kind: 'sandbox', available: true, ...(limits && { limits }) }];
    const hello = { t: 'hello', v: LINK_VERSION, runner: 'rn_local', executors };
    socket.send({ ...hello, ...(catalog === undefined ? {} : { catalog }) });
    await socket.until('welcome');
    return new TestRunner(socket);
  }

  catalog(catalog: unknown): void {
    this.socket.send({ t: 'catalog', catalog });
  }

  /** The next order for this thread, taken; orders for others are taken on the way. */
  async order(thread: ThreadId): Promise<Order> {
    for (;;) {
      const frame = ControlToRunner.parse(await this.socket.until('order'));
      if (frame.t !== 'order') continue;
      this.socket.send({ t: 'taken', order: frame.order });
      if (frame.do.thread === thread) return frame.do;
    }
  }
}

/** Waits until the session has let the thread's newest start go: no runner says a word of it before. */
async function mayGo(thread: ThreadId): Promise<void> {
  const stub = env.THREAD.getByName(thread);
  await expect
    .poll(() =>
      inStorage(stub, ({ sql }) => {
        const [row] = sql.exec<{ value: string }>(STATE).toArray();
        return row === undefined || JSON.parse(row.value).launch.waits !== true;
      }),
    )
    .toBe(true);
}

export const started = (epoch = 1) => ({ type: 'started', epoch, executor: 'sandbox' });
export const exited = (epoch = 1, code = 0) => ({
  type: 'exit',
  epoch,
  code,
  signal: null,
  reason: 'exited',
});
export const text = (content: string) => ({ type: 'text', content });

/** What an agent printed, as lines with the offsets that its spool gives them. */
export function spool(from: number, ...bodies: unknown[]): SpoolLine[] {
  let end = from;
  return bodies.map((body): SpoolLine => {
    const line = typeof body === 'string' ? body : JSON.stringify(body);
    end += new TextEncoder().encode(line).length + 1;
    return [end, line];
  });
}

/** An agent's socket, as its runner keeps it. */
export class TestLink {
  readonly socket: TestSocket;
  offset = 0;
  observed = 0;

  private constructor(socket: TestSocket) {
    this.socket = socket;
  }

  static async dial(thread: ThreadId): Promise<TestLink> {
    return new TestLink(await TestSocket.open(`/link/thread/${thread}`, RUNNER));
  }

  /** A greeted link, from where the thread says. */
  static async open(thread: ThreadId, epoch = 1, inputs = 0): Promise<TestLink> {
    await mayGo(thread);
    const link = await TestLink.dial(thread);
    link.hello(epoch, inputs);
    const welcome = AgentToRunner.parse(await link.socket.next());
    if (welcome.t !== 'welcome') throw new Error(`expected welcome: ${JSON.stringify(welcome)}`);
    link.offset = welcome.offset;
    link.observed = welcome.observed;
    return link;
  }

  hello(epoch = 1, inputs = 0, runner = 'rn_local'): void {
    this.socket.send({ t: 'hello', v: LINK_VERSION, runner, epoch, inputs });
  }

  /** Sends lines and waits until they are acknowledged. */
  async say(...bodies: unknown[]): Promise<void> {
    const lines = spool(this.offset, ...bodies);
    this.socket.send({ t: 'lines', from: this.offset, lines });
    this.offset = lines.at(-1)?.[0] ?? this.offset;
    await this.acked();
  }

  /** Sends an observation; the answer is an `ack` or `over`. */
  observe(body: unknown): void {
    this.observed += 1;
    this.socket.send({ t: 'observed', id: this.observed, body });
  }

  async started(epoch = 1): Promise<void> {
    this.observe(started(epoch));
    await this.acked();
  }

  /** Waits for an acknowledgement of everything sent. */
  async acked(): Promise<void> {
    for (;;) {
      const ack = AgentToRunner.parse(await this.socket.until('ack'));
      if (ack.t === 'ack' && ack.offset >= this.offset && ack.observed >= this.observed) return;
    }
  }
}
