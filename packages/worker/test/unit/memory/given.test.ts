import {
  type GivenMemory,
  memoriesMessage,
  newMemoryId,
  newSessionId,
  UserMessage,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../../src/env.ts';
import { USUAL_CAPS } from '../../../src/session/caps.ts';
import { SESSION_MIGRATIONS } from '../../../src/session/schema.ts';
import { Session } from '../../../src/session/session.ts';
import { Starting } from '../../../src/session/starting.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { readOutbox } from '../../../src/thread/outbox.ts';
import type { Given } from '../../../src/thread/thread.ts';
import { nodeSql } from '../support/node-sql.ts';
import { newThread, observe } from '../support/threads.ts';

const memory: GivenMemory = {
  id: newMemoryId(),
  scope: 'repository',
  content: 'Use pnpm.',
  source: { by: 'person' },
  updatedAt: '2026-03-01T00:00:00.000Z',
};

describe('what a process starts with', () => {
  it('[MEM9] is in the log and in the order of its start, after the task, once', () => {
    const t = newThread();
    t.thread.message('user', 'do it', null);
    expect(t.thread.taskOf(1)).toBe('do it');
    t.thread.go(1, { memories: [memory] });
    t.reopen().thread.go(1, { memories: [memory] });
    expect(t.thread.taskOf(1)).toBeNull();
    expect(t.events().map(({ source, body }) => [source, body])).toEqual([
      ['user', { type: 'message', from: 'user', content: 'do it' }],
      ['system', { type: 'memories', epoch: 1, memories: [memory] }],
    ]);
    const orders = readOutbox(t.sql, 9).flatMap(({ item }) =>
      item.kind === 'order' && item.order.kind === 'start' ? [item.order] : [],
    );
    expect(orders).toHaveLength(1);
    expect(orders[0]?.task).toBe('do it');
    const inputs = orders[0]?.inputs.map(({ line }) => UserMessage.parse(JSON.parse(line)));
    expect(inputs).toEqual([
      { type: 'message', from: 'user', content: 'do it' },
      { type: 'message', from: 'system', content: memoriesMessage([memory]) },
    ]);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'queued' });
  });

  it('[MEM8] is nothing where nothing is remembered, and is given to each process anew', () => {
    const t = newThread();
    t.thread.message('user', 'do it', null);
    t.thread.go(1, { memories: [] });
    observe(t, { type: 'started' });
    expect(t.events().map(({ source }) => source)).toEqual(['user', 'runner']);
    observe(t, { type: 'exit', code: 0 });
    t.thread.message('user', 'again', null);
    t.thread.go(2, { memories: [memory] });
    expect(t.events().at(-1)?.body).toMatchObject({ type: 'memories', epoch: 2 });
  });
});

describe('a start', () => {
  const at = '2026-03-01T00:00:00.000Z';

  /** An environment whose user's object answers like this: a failure of the platform cannot be had otherwise. */
  async function startWith(giveMemories: () => Promise<unknown>): Promise<Given[]> {
    const sql = nodeSql();
    migrate(sql, SESSION_MIGRATIONS);
    const session = new Session(
      {
        sql,
        now: Date.now,
        newKey: () => 'key',
        keyHash: (key) => key,
        caps: USUAL_CAPS,
        revoke: () => undefined,
      },
      {
        id: newSessionId(),
        owner: 'owner',
        name: 'calm',
        gitRepoUrl: null,
        createdAt: at,
        updatedAt: at,
        head: 1,
        changeSeq: 1,
        started: false,
        stopped: false,
      },
    );
    const node = session.addNode({ agentType: 'custom', config: { command: ['true'] } });
    session.noteWish(node.id, { epoch: 1, wants: true });
    const given: Given[] = [];
    const thread = {
      taskOf: () => Promise.resolve('do it'),
      go: (_: number, with_: Given) => Promise.resolve(given.push(with_)),
    };
    const env = {
      THREAD: { getByName: () => thread },
      USER: { getByName: () => ({ giveMemories }) },
    } as unknown as Env;
    const starting = new Starting(session, env);
    await starting.settle();
    expect(starting.settled).toBe(true);
    return given;
  }

  it('[MEM8] goes on without memory if the user’s object cannot be reached', async () => {
    expect(await startWith(() => Promise.reject(new Error('away')))).toMatchObject([
      { memories: [] },
    ]);
  });
});
