import { type GivenMemory, givenMemory, ThreadId } from '@filepath/protocol';
import { redact, secretsOf } from '../auth/redact.ts';
import type { Env } from '../env.ts';
import { log } from '../http/log.ts';
import { viewOf } from './memory-desk.ts';
import type { Session } from './session.ts';
import type { Start } from './starts.ts';

/** An agent waits no longer than this for what is remembered. */
const MEMORY_MS = 5_000;

/** Tells threads that their starts may go. Threads take the same word once. */
export class Starting {
  #session: Session;
  #env: Env;

  constructor(session: Session, env: Env) {
    this.#session = session;
    this.#env = env;
  }

  get settled(): boolean {
    return this.#session.starts.going().length === 0;
  }

  /** Those that are let go wait for nobody else's; what failed is thrown after, to be tried again. */
  async settle(): Promise<void> {
    const results = await Promise.allSettled(
      this.#session.starts.going().map((start) => this.#go(start)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #go(start: Start): Promise<void> {
    const thread = this.#env.THREAD.getByName(start.thread);
    const task = await thread.taskOf(start.epoch);
    const memories = task === null ? [] : await this.#memories(ThreadId.parse(start.thread), task);
    const children = this.#session.childrenOf(start.thread);
    if (await thread.go(start.epoch, { memories, children })) this.#session.starts.told(start);
  }

  /** What the agent is given of memory. It starts without, if that cannot be had. */
  async #memories(thread: ThreadId, task: string): Promise<GivenMemory[]> {
    const { owner, sight } = viewOf(this.#session, thread);
    try {
      const asked = this.#env.USER.getByName(owner).giveMemories(sight, task);
      return (await within(asked, MEMORY_MS)).map(givenMemory);
    } catch (error) {
      const why = redact(String(error), secretsOf(this.#env));
      log('warn', 'started without memory', { thread, error: why });
      return [];
    }
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
