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
      expect(of.list()).toMatchObject({ answer: { children: [{ works: true }] }, handed: null });
      expect((await of.wait({ seconds: 0 })).answer.children).toMatchObject([
        { works: true, result: null },
      ]);
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
    expect(answer.children).toMatchObject([{ works: false, result: { words: 'dug' } }]);
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

describe('[TALK13] a child that a person takes away', () => {
  const ways = [
    ['deleted', (t: ReturnType<typeof family>) => t.session.drop(t.child)],
    ['moved', (t: ReturnType<typeof family>) => t.session.patchNode(t.child, { parentId: null })],
  ] as const;

  it.each(ways)('is told to a parent that counts on its result: %s', (how, take) => {
    const t = family();
    take(t);
    expect(t.session.partings.untold()).toMatchObject([{ parent: t.root, child: t.child, how }]);
    t.session.partings.told(t.root, t.child);
    expect(t.session.partings.untold()).toEqual([]);
  });

  it.each(ways)('is answered to a wait for it, also to a later one: %s', async (how, take) => {
    const t = family();
    const waited = t.of.wait({ children: [t.child] });
    take(t);
    t.waits.check();
    const { answer, handed } = await waited;
    expect(answer).toMatchObject({ children: [], gone: [{ id: t.child, how }] });
    expect(t.waits.holds(t.child)).toBe(true);
    t.of.has(handed ?? '');
    expect(t.session.partings.untold()).toEqual([]);
    const again = await t.of.wait({ children: [t.child], seconds: 0 });
    expect(again.answer.gone).toMatchObject([{ id: t.child, how }]);
    expect(() => t.of.check(t.child)).toThrow(`was ${how}`);
  });

  it('is not told where its end was told before, and is a child again when it comes back', () => {
    const t = family();
    t.end();
    t.session.results.told(t.child, 50);
    t.session.patchNode(t.child, { parentId: null });
    expect(t.session.partings.untold()).toEqual([]);
    t.session.patchNode(t.child, { parentId: t.root });
    expect(t.session.partings.find(t.root, t.child)).toBeNull();
  });
});
