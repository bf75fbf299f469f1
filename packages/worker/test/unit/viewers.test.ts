import { LIMITS } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { FeedItem, FeedSource } from '../../src/feed/feed-source.ts';
import {
  type DraftState,
  newcomer,
  type ViewerMemory,
  Viewers,
  type ViewerSocket,
} from '../../src/feed/viewers.ts';

class Source implements FeedSource {
  items: FeedItem[] = [];
  head = (): number => this.items.length;
  read = (after: number, limit: number): FeedItem[] => this.items.slice(after, after + limit);
  add(size = 20): FeedItem {
    const seq = this.items.length + 1;
    const item = { seq, json: JSON.stringify({ seq, x: 'x'.repeat(size) }) };
    this.items.push(item);
    return item;
  }
}

class Socket implements ViewerSocket {
  frames: string[] = [];
  closed: number | null = null;
  memory: ViewerMemory | null = null;
  send(text: string): void {
    this.frames.push(text);
  }
  close(code: number): void {
    this.closed = code;
  }
  remember(memory: ViewerMemory): void {
    this.memory = structuredClone(memory);
  }
  get seqs(): number[] {
    return this.frames.flatMap((frame) => {
      const parsed = JSON.parse(frame) as { events?: { seq: number }[] };
      return (parsed.events ?? []).map((event) => event.seq);
    });
  }
  get bytes(): number {
    return this.frames.reduce((sum, frame) => sum + frame.length, 0);
  }
}

const ack = (seq: number, drafts?: number): string => JSON.stringify({ t: 'ack', seq, drafts });
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

function setup(drafts: DraftState[] = [], limit = 10_000) {
  const source = new Source();
  const viewers = new Viewers<Socket>(source, () => drafts, limit);
  return { source, viewers, socket: new Socket() };
}

describe('viewers', () => {
  it('[FEED2] gives what is stored after the asked seq, then what is new, each once', () => {
    const { source, viewers, socket } = setup();
    for (let i = 0; i < 5; i += 1) source.add();
    viewers.join(socket, 2);
    viewers.publish([source.add(), source.add()]);
    expect(socket.seqs).toEqual([3, 4, 5, 6, 7]);
  });

  it('[FEED4] sends a viewer that does not acknowledge a bounded amount, whatever passes', () => {
    const { source, viewers, socket } = setup();
    viewers.join(socket, 0);
    for (let i = 0; i < 2000; i += 1) viewers.publish([source.add(500)]);
    expect(socket.bytes).toBeLessThan(12_000);
    for (let last = 0; last < 2000;) {
      last = socket.seqs.at(-1) ?? 0;
      viewers.receive(socket, ack(last));
    }
    expect(socket.seqs).toEqual(upTo(2000));
  });

  it('does not let a slow viewer hold up another', () => {
    const { source, viewers, socket } = setup();
    const quick = new Socket();
    viewers.join(socket, 0);
    viewers.join(quick, 0);
    for (let i = 0; i < 100; i += 1) {
      viewers.publish([source.add(500)]);
      viewers.receive(quick, ack(i + 1));
    }
    expect(quick.seqs).toEqual(upTo(100));
    expect(socket.seqs.length).toBeLessThan(30);
  });

  it('gives the draft to one that joins, deltas to those that are up to date', () => {
    const { viewers, socket } = setup([{ id: 'm', content: 'he' }]);
    viewers.join(socket, 0);
    viewers.publish([], [{ id: 'm', delta: 'llo' }]);
    expect(socket.frames.map((frame) => JSON.parse(frame))).toEqual([
      { t: 'draft', id: 'm', content: 'he' },
      { t: 'delta', id: 'm', delta: 'llo' },
    ]);
  });

  it('bounds deltas too, and gives the whole draft again to one that fell behind', () => {
    const drafts = [{ id: 'm', content: 'whole' }];
    const { viewers, socket } = setup(drafts);
    viewers.join(socket, 0);
    const delta = 'x'.repeat(100);
    for (let i = 0; i < 1000; i += 1) viewers.publish([], [{ id: 'm', delta }]);
    expect(socket.bytes).toBeLessThan(12_000);
    const sent = socket.frames.length;
    viewers.receive(socket, ack(0, sent));
    expect(JSON.parse(socket.frames[sent] ?? '')).toEqual({
      t: 'draft',
      id: 'm',
      content: 'whole',
    });
  });

  it('goes on after the memory was lost, without a gap or a repetition', () => {
    const { source, viewers, socket } = setup();
    viewers.join(socket, 0);
    for (let i = 0; i < 10; i += 1) viewers.publish([source.add()]);
    const again = new Viewers<Socket>(source, () => []);
    again.restore(socket, socket.memory ?? newcomer(0));
    again.publish([source.add()]);
    expect(socket.seqs).toEqual(upTo(11));
  });

  it('gives a draft once, though its delta came with events that are read from storage', () => {
    const drafts: DraftState[] = [];
    const { source, viewers, socket } = setup(drafts, 5 * LIMITS.frame);
    viewers.join(socket, 0);
    drafts.push({ id: 'm', content: 'he' });
    viewers.publish([source.add(2 * LIMITS.frame)], [{ id: 'm', delta: 'he' }]);
    expect(socket.frames.slice(1).map((frame) => JSON.parse(frame))).toEqual([
      { t: 'draft', id: 'm', content: 'he' },
    ]);
  });

  it('keeps no event from a viewer that acknowledges nothing but seqs', () => {
    const { source, viewers, socket } = setup();
    viewers.join(socket, 0);
    const delta = 'x'.repeat(1000);
    for (let seq = 1; seq <= 50; seq += 1) {
      for (let i = 0; i < 20; i += 1) viewers.publish([], [{ id: 'm', delta }]);
      viewers.publish([source.add()]);
      viewers.receive(socket, ack(seq));
    }
    expect(socket.seqs).toEqual(upTo(50));
  });

  it('[FEED4] counts drafts on after the memory was lost', () => {
    const { viewers, source, socket } = setup();
    viewers.join(socket, 0);
    const delta = 'x'.repeat(1000);
    for (let i = 0; i < 5; i += 1) viewers.publish([], [{ id: 'm', delta }]);
    viewers.receive(socket, ack(0, 5));
    const again = new Viewers<Socket>(source, () => [], 10_000);
    again.restore(socket, socket.memory ?? newcomer(0));
    for (let i = 0; i < 100; i += 1) {
      again.publish([], [{ id: 'm', delta }]);
      again.receive(socket, ack(0, 5));
    }
    expect(socket.frames.length).toBeLessThan(20);
  });

  it('remembers a bounded amount of frames that are on their way', () => {
    const { source, viewers, socket } = setup([], 1_000_000);
    viewers.join(socket, 0);
    for (let i = 0; i < 1000; i += 1) viewers.publish([source.add()], [{ id: 'm', delta: 'x' }]);
    expect(socket.memory?.pending.length).toBeLessThan(40);
    const unacknowledged = socket.memory?.pending.reduce((sum, one) => sum + one.bytes, 0);
    expect(unacknowledged).toBe(socket.bytes);
    viewers.receive(socket, ack(1000, 1000));
    expect(socket.memory?.pending).toEqual([]);
  });

  it('ends a connection that sends anything but acknowledgements', () => {
    const { viewers, socket } = setup();
    viewers.join(socket, 0);
    viewers.receive(socket, '{"t":"delete"}');
    expect(socket.closed).toBe(1008);
    expect(viewers.size).toBe(0);
  });

  it('[FEED9] answers one that asks whether it is seen, and sends one away that it does not feed', () => {
    const { source, viewers, socket } = setup();
    source.add();
    viewers.join(socket, 0);
    viewers.receive(socket, ack(1));
    const before = socket.frames.length;
    viewers.receive(socket, JSON.stringify({ t: 'ack', seq: 1, answer: true }));
    expect(socket.frames.slice(before)).toEqual(['{"t":"events","events":[]}']);
    const stranger = new Socket();
    viewers.receive(stranger, JSON.stringify({ t: 'ack', seq: 1, answer: true }));
    expect(stranger.closed).toBe(1001);
    expect(stranger.frames).toEqual([]);
  });
});
