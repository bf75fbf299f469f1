import { describe, expect, it } from 'vitest';
import type { Pause } from '../../src/thread/pause.ts';
import { newSession } from './support/sessions.ts';
import { newThread, observe } from './support/threads.ts';

const pause: Pause = { by: 'user', reason: null, until: null };
const limit: Pause = { by: 'system', reason: 'limit', until: '2026-01-01T01:00:00.000Z' };

/** root → (a → b), c */
function tree(working = 8) {
  const made = newSession({ working });
  const root = made.add();
  const a = made.add(root);
  const b = made.add(a);
  const c = made.add(root);
  const { session } = made;
  const held = () => [root, a, b, c].map((id) => session.nodes.find(id)?.held !== null);
  /** Tells the threads, as the session's work does. */
  const deliver = () => {
    const rows = session.pauses.untold();
    for (const { id, held: now } of rows) session.pauses.told(id, now);
    return rows.map(({ id }) => id);
  };
  return { ...made, root, a, b, c, held, deliver };
}

describe('pauses of a tree', () => {
  it('[PAUSE1] hold a node and everything below it, and are told to each once', () => {
    const { session, a, b, held, deliver, add, reopen } = tree();
    session.pause(a, pause);
    expect(held()).toEqual([false, true, true, false]);
    expect(reopen().pauses.untold()).toHaveLength(2);
    expect(deliver()).toEqual([a, b]);
    expect(deliver()).toEqual([]);
    const child = add(b);
    expect(deliver()).toEqual([child]);
    session.resume(a);
    expect(held()).toEqual([false, false, false, false]);
    expect(deliver()).toEqual([a, b, child]);
  });

  it('[PAUSE1] let nothing start, keep the place in line, and free the slot', () => {
    const { session, a, b, c, wish, going, places, deliver } = tree(1);
    wish(b);
    wish(c);
    expect(places()).toEqual([null, null, null, 1]);
    session.pause(a, pause);
    expect(going()).toEqual([c]);
    wish(a);
    expect(places()).toEqual([null, null, null, null]);
    session.resume(a);
    // Its thread does not know yet that it may.
    deliver();
    expect(going()).toContain(b);
  });

  it('[PAUSE3] end for the node that is named, and not for one below that was paused by itself', () => {
    const { session, root, a, b, held } = tree();
    session.pause(b, pause);
    session.pause(root, limit);
    expect(held()).toEqual([true, true, true, true]);
    expect(() => session.resume(a)).toThrow(/is paused since .+ is: resume/);
    session.resume(root);
    expect(held()).toEqual([false, false, true, false]);
    expect(() => session.resume(a)).toThrow(/is not paused/);
    session.pause(null, pause);
    expect(() => session.resume(a)).toThrow(/its session is: resume the session/);
    session.resume(null);
    expect(() => session.resume(null)).toThrow(/this session is not paused/);
    session.resume(b);
    expect(held()).toEqual([false, false, false, false]);
  });

  it('[PAUSE4] end by themselves when their time is over', () => {
    const { session, root, b, clock, held, reopen } = tree();
    session.pause(root, limit);
    session.pause(b, { ...limit, until: '2026-01-01T02:00:00.000Z' });
    expect(reopen().nextResume()).toBe(Date.parse('2026-01-01T01:00:00.000Z'));
    session.resumeDue();
    expect(held()).toEqual([true, true, true, true]);
    clock.now = Date.parse('2026-01-01T01:00:00.000Z');
    session.resumeDue();
    expect(held()).toEqual([false, false, true, false]);
    clock.now = Date.parse('2026-01-01T02:00:00.000Z');
    session.resumeDue();
    expect(held()).toEqual([false, false, false, false]);
    expect(session.nextResume()).toBeNull();
    session.pause(null, { ...limit, until: '2026-01-01T03:00:00.000Z' });
    clock.now = session.nextResume() ?? 0;
    session.resumeDue();
    expect(held()).toEqual([false, false, false, false]);
  });

  it('[PAUSE5] end with a stop, and hold on where one above does', () => {
    const { session, root, a, b, held, deliver } = tree();
    session.pause(root, pause);
    session.pause(b, limit);
    deliver();
    session.halt(a);
    expect(deliver()).toEqual([]);
    for (const id of [a, b]) session.halted(id, 9);
    // The stop has ended it in their logs: they are told again.
    expect(deliver()).toEqual([a, b]);
    session.resume(root);
    expect(held()).toEqual([false, false, false, false]);
  });

  it('[PAUSE6] are the status of the session when all that could work is paused', () => {
    const { session, root, a, c, tell } = tree();
    const status = () => session.resource().status;
    expect(status()).toBe('draft');
    tell(a, 'running');
    tell(c, 'running');
    session.pause(a, pause);
    expect(status()).toBe('running');
    tell(c, 'done');
    expect(status()).toBe('paused');
    tell(a, 'done');
    expect(status()).toBe('running');
    session.pause(root, pause);
    expect(status()).toBe('paused');
  });
});

describe('a paused thread', () => {
  it('[PAUSE2] logs a pause once, with why and until when, and freezes its process', () => {
    const t = newThread();
    t.thread.message('user', 'do it', null);
    observe(t, { type: 'started' });
    t.thread.hold(limit, 'system');
    t.thread.hold(limit, 'system');
    t.reopen().thread.hold(limit, 'system');
    const signals = () => t.events().filter(({ body }) => Object(body).type === 'signal');
    const { reason, until } = limit;
    expect(signals()).toMatchObject([
      { source: 'system', body: { type: 'signal', action: 'pause', reason, until } },
    ]);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'running', reason: 'paused: limit' });
    const freezes = () =>
      t.sql.all<{ payload: string }>(`SELECT payload FROM outbox WHERE key = 'freeze:1'`);
    expect(freezes()).toMatchObject([{ payload: expect.stringContaining('"frozen":true') }]);
    t.thread.hold(null, 'user');
    t.thread.hold(null, 'user');
    expect(signals()).toHaveLength(2);
    expect(freezes()).toMatchObject([{ payload: expect.stringContaining('"frozen":false') }]);
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'running', reason: null });
  });

  it('[PAUSE1] starts nothing: the message waits, and goes when it is resumed', () => {
    const t = newThread();
    t.thread.hold(pause, 'user');
    t.thread.message('user', 'do it', null);
    expect(t.thread.go(1)).toBeNull();
    expect(t.thread.state.lifecycle).toMatchObject({ status: 'idle', reason: 'paused' });
    t.thread.hold(null, 'user');
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'queued' });
    expect(t.thread.go(1)).not.toBeNull();
    expect(t.sql.all(`SELECT id FROM outbox WHERE key = 'start:1'`)).toHaveLength(1);
  });

  it('[PAUSE5] forgets its pause with a stop, and takes it anew', () => {
    const t = newThread();
    t.thread.hold(pause, 'user');
    t.thread.signal('stop');
    expect(t.thread.state.lifecycle).toMatchObject({ paused: null });
    t.thread.hold(pause, 'user');
    expect(t.thread.state.lifecycle).toMatchObject({ reason: 'paused' });
  });
});
