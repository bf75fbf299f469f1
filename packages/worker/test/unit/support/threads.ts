import {
  newSessionId,
  newThreadId,
  RunnerId,
  type LogEvent,
  type SpoolLine,
} from '@filepath/protocol';
import { migrate } from '../../../src/storage/schema.ts';
import type { Sql } from '../../../src/storage/sql.ts';
import { writeValue } from '../../../src/storage/values.ts';
import { nodeHashing } from '../../../src/thread/node-hashing.ts';
import { THREAD_MIGRATIONS } from '../../../src/thread/schema.ts';
import type { ThreadMeta } from '../../../src/thread/state.ts';
import { type Effects, Thread } from '../../../src/thread/thread.ts';
import { ThreadFeed } from '../../../src/thread/thread-feed.ts';
import { nodeSql } from './node-sql.ts';

export type TestThread = {
  sql: Sql;
  thread: Thread;
  feed: ThreadFeed;
  events(): LogEvent[];
  say(...bodies: unknown[]): Effects;
  /** Time passes. */
  pass(ms: number): void;
  /** The same storage, read by a new object: what an eviction leaves. */
  reopen(): TestThread;
};

export function newThread(agentType = 'custom', more: Partial<ThreadMeta> = {}): TestThread {
  const sql = nodeSql();
  migrate(sql, THREAD_MIGRATIONS);
  const meta: ThreadMeta = {
    thread: newThreadId(),
    session: newSessionId(),
    owner: 'owner',
    name: 'agent',
    slug: 'agent-abcdefgh',
    agentType,
    model: 'none',
    config: { command: ['true'] },
    gitRepoUrl: null,
    apiKey: 'fpk_test',
    runner: RunnerId.parse('rn_local'),
    ...more,
  };
  writeValue(sql, 'meta', meta);
  return open(sql, meta, { at: Date.parse('2026-01-01T00:00:00Z') });
}

function open(sql: Sql, meta: ThreadMeta, clock: { at: number }): TestThread {
  const now = (): number => (clock.at += 10);
  const thread = new Thread({ sql, hashing: nodeHashing, now }, meta);
  const feed = new ThreadFeed(sql, thread);
  return {
    sql,
    thread,
    feed,
    events: () => feed.read(0, 100_000, Infinity).map((item) => JSON.parse(item.json) as LogEvent),
    say: (...bodies) => {
      const from = thread.state.launch.offset;
      let end = from;
      const lines = bodies.map((body): SpoolLine => {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        end += text.length + 1;
        return [end, text];
      });
      const effects = thread.lines(from, lines, new Map());
      if (effects === 'resync') throw new Error('resync');
      return effects;
    },
    pass: (ms) => {
      clock.at += ms;
    },
    reopen: () => open(sql, meta, clock),
  };
}

export function observe(
  { thread }: TestThread,
  body:
    | { type: 'started' }
    | { type: 'exit'; code: number | null; reason?: 'exited' | 'stopped' | 'handoff' | 'lost' }
    | { type: 'refused'; reason: string }
    | { type: 'head'; to: string; ref: string; message: string },
): Effects {
  const { epoch, observed } = thread.state.launch;
  if (body.type === 'started') thread.go(epoch);
  const full =
    body.type === 'started'
      ? { type: 'started' as const, epoch, executor: 'sandbox' as const }
      : body.type === 'exit'
        ? {
            type: 'exit' as const,
            epoch,
            code: body.code,
            signal: null,
            reason: body.reason ?? ('exited' as const),
          }
        : body.type === 'head'
          ? { ...body, epoch, from: '0'.repeat(40) }
          : { type: 'refused' as const, epoch, reason: body.reason };
  const effects = thread.observed(observed + 1, full);
  if (effects === 'resync') throw new Error('resync');
  return effects;
}
