import { describe, expect, it } from 'vitest';
import { Family } from '../../src/session/family.ts';
import { Waits } from '../../src/session/waits.ts';
import { newSession } from './support/sessions.ts';

const note = { contextPct: null, stopped: false };

/** A parent with one child, both at work. */
function family() {
  const t = newSession();
  const root = t.add();
  const child = t.add(root);
  t.wish(root);
  t.tell(root, 'running');
  t.tell(child, 'running');
  const waits = new Waits(() => t.clock.now);
  const end = () => {
    const { results } = t.session;
    results.note(child, { seq: 50, outcome: 'completed', reason: null, words: 'dug' });
    t.session.noteStatus(child, { ...note, seq: 51, status: 'done', reason: null, open: false });
    waits.check();
  };
  return { ...t, root, child, waits, end, of: new Family(t.session, waits, root) };
}

describe('[TALK5] a child works', () => {
  it.each(['handoff', 'restarting', 'paused: limit', 'waiting for memory', 'queued'])(
    'while its work is open: %s',
    async (reason) => {
      const { session, child, of } = family();
      session.noteStatus(child, { ...note, seq: 40, status: 'idle', reason, open: true });
      expect(of.list()).toMatchObject({ answer: [{ works: true }], handed: null });
      expect((await of.wait({ seconds: 0 })).answer).toMatchObject([{ works: true, result: null }]);
    },
  );
});

describe('[TALK3] the end of a child that was waited for', () => {
  const isTold = (t: ReturnType<typeof family>) => t.waits.holds(t.child) === false;

  it('is read by the process that waited, when it has the answer', async () => {
    const t = family();
    const waited = t.of.wait({});
    t.end();
    const { answer, handed } = await waited;
    expect(answer).toMatchObject([{ works: false, result: { words: 'dug' } }]);
    expect([isTold(t), t.session.results.untold().length]).toEqual([false, 1]);
    t.of.has(handed ?? '');
    expect(t.session.results.untold()).toEqual([]);
  });

  it.each([
    ['a wait', (t: ReturnType<typeof family>) => t.of.wait({})],
    ['a list', (t: ReturnType<typeof family>) => t.of.list()],
    ['its messages', (t: ReturnType<typeof family>) => t.of.shows(t.child, 60)],
  ])('[TALK1] is told when the answer is lost on its way: %s', async (_, ask) => {
    const t = family();
    t.end();
    const { handed } = await ask(t);
    expect(handed).not.toBeNull();
    expect(isTold(t)).toBe(false);
    t.clock.now += 10_001;
    expect(isTold(t)).toBe(true);
    expect(t.session.results.untold()).toMatchObject([{ child: t.child, words: 'dug' }]);
  });

  it('[TALK1] is told at once when the wait was broken off', async () => {
    const t = family();
    const waited = t.of.wait({}, 'w1');
    t.of.breakOff('w1');
    expect((await waited).handed).toBeNull();
    t.end();
    expect(isTold(t)).toBe(true);
    expect(t.session.results.untold()).toMatchObject([{ child: t.child, words: 'dug' }]);
  });

  it('is no business of another agent', async () => {
    const t = family();
    t.end();
    const { handed } = t.of.list();
    const other = new Family(t.session, t.waits, t.child);
    other.has(handed ?? '');
    const waited = t.of.wait({});
    other.breakOff('w1');
    await waited;
    expect(t.session.results.untold()).toHaveLength(1);
  });

  it('is still to be told to the process that has taken its place', async () => {
    const t = family();
    const waited = t.of.wait({});
    t.tell(t.root, 'done');
    t.wish(t.root, 2);
    t.tell(t.root, 'running');
    t.end();
    expect((await waited).handed).toBeNull();
    expect(t.session.results.untold()).toMatchObject([{ child: t.child, words: 'dug' }]);
  });
});

describe('[HND2] what a fresh process is told of a child', () => {
  it('is its last words, once they were told or read and while it does nothing more', () => {
    const t = family();
    const words = () => t.session.childrenOf(t.root).map((child) => child.words);
    expect(words()).toEqual([undefined]);
    t.end();
    expect(words(), 'a message will tell them').toEqual([undefined]);
    t.session.results.told(t.child, 50);
    expect(words()).toEqual(['dug']);
    const running = { seq: 60, status: 'running', reason: null, open: true } as const;
    t.session.noteStatus(t.child, { ...note, ...running });
    expect(words()).toEqual([undefined]);
  });
});
