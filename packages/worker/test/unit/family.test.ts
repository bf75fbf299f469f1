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
      expect(of.list()).toMatchObject([{ works: true }]);
      expect(await of.wait({ seconds: 0 })).toMatchObject([{ works: true, result: null }]);
    },
  );
});

describe('[TALK3] the end of a child that was waited for', () => {
  it('is read by the process that waited', async () => {
    const t = family();
    const waited = t.of.wait({});
    t.end();
    expect(await waited).toMatchObject([{ works: false, result: { words: 'dug' } }]);
    expect(t.session.results.untold()).toEqual([]);
  });

  it('is still to be told to the process that has taken its place', async () => {
    const t = family();
    const waited = t.of.wait({});
    t.tell(t.root, 'done');
    t.wish(t.root, 2);
    t.tell(t.root, 'running');
    t.end();
    await waited;
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
