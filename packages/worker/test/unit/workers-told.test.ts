import { expect, it } from 'vitest';
import { newSession } from './support/sessions.ts';

const note = { contextPct: null, stopped: false, open: true };

/** A parent with two children, and what its log is told of them. */
function watched() {
  const t = newSession();
  const root = t.add();
  const children = [t.add(root), t.add(root)] as const;
  const { workersTold } = t.session;
  const events: unknown[] = [];
  const settle = (): void => {
    for (const family of workersTold.untold()) {
      events.push(
        workersTold.of(family.parent).workers.map(({ status, reason }) => ({ status, reason })),
      );
      workersTold.told(family);
    }
  };
  settle();
  events.length = 0;
  t.clock.now += 1_000;
  let seq = 0;
  const tell = (
    child: 0 | 1,
    status: 'idle' | 'running' | 'thinking' | 'done',
    reason: string | null = null,
  ): void => {
    seq += 1;
    t.session.noteStatus(children[child], { ...note, seq, status, reason });
    settle();
  };
  return { ...t, workersTold, events, settle, tell };
}

it('[TALK8] the log of a parent does not grow with what its children go to and fro between', () => {
  const t = watched();
  for (let n = 0; n < 500; n += 1) {
    for (const child of [0, 1] as const) t.tell(child, n % 2 === 0 ? 'thinking' : 'running');
    t.clock.now += 2_000;
    t.settle();
  }
  expect(t.events.length).toBeLessThanOrEqual(3);
  expect(t.events.at(-1)).toEqual([
    { status: expect.stringMatching(/thinking|running/) },
    { status: expect.stringMatching(/thinking|running/) },
  ]);
});

it('[TALK8] a parent is told once in a second, and of the last state always', () => {
  const t = watched();
  t.tell(0, 'running');
  for (let n = 0; n < 50; n += 1) t.tell(1, n % 2 === 0 ? 'running' : 'idle', `step ${n}`);
  expect(t.events).toHaveLength(1);
  const next = t.workersTold.next();
  expect(next).toBe(t.clock.now + 1_000);
  t.clock.now = next ?? 0;
  t.settle();
  expect(t.events).toHaveLength(2);
  expect(t.events.at(-1)).toEqual([{ status: 'running' }, { status: 'idle', reason: 'step 49' }]);
  expect(t.workersTold.next()).toBeNull();
});

it('[TALK8] another reason is told', () => {
  const t = watched();
  t.tell(0, 'idle', 'stopped');
  t.clock.now += 1_000;
  t.tell(0, 'idle', 'paused');
  expect(t.events).toMatchObject([
    [{ reason: 'stopped' }, {}],
    [{ reason: 'paused' }, {}],
  ]);
});
