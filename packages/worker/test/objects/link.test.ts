import type { LogEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ask, logOf, message, newAgent, RUNNER } from './support/api.ts';
import { exited, spool, started, TestLink, TestRunner, text } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';

const shape = (events: readonly LogEvent[]) =>
  events.map((event) => `${event.seq} ${event.source} ${(event.body as { type: string }).type}`);

async function linked() {
  const { session, node } = await newAgent();
  await message(node.id);
  const link = await TestLink.open(node.id);
  await link.socket.until('input');
  await link.started();
  return { session, node, link };
}

describe('an agent over its link', () => {
  it('[LINK2] is ordered by a message, heard, and over with its exit', async () => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    await message(node.id, 'hello');
    expect(await runner.order(node.id)).toMatchObject({
      kind: 'start',
      session: session.id,
      epoch: 1,
      slug: node.slug,
      config: { command: ['true'] },
      task: 'hello',
      inputs: [{ id: 1, line: '{"type":"message","from":"user","content":"hello"}\n' }],
    });
    const link = await TestLink.open(node.id, 1, 1);
    await link.started();
    await link.say(text('a'), { type: 'done' });
    link.observe(exited());
    expect(await link.socket.next()).toEqual({ t: 'over', reason: 'ended' });
    expect(shape(await logOf(node.id))).toEqual([
      '1 user message',
      '2 runner started',
      '3 fap text',
      '4 fap done',
      '5 runner exit',
    ]);
  });

  it('[LINK10] is told that somebody is there, as its runner is, once they were greeted', async () => {
    const runner = await TestRunner.connect();
    const { link, node } = await linked();
    for (const { socket } of [runner, link]) {
      socket.send({ t: 'here' });
      expect(await socket.until('here')).toEqual({ t: 'here' });
    }
    const strangers = [
      await TestSocket.open('/link/runner/rn_local', RUNNER),
      (await TestLink.dial(node.id)).socket,
    ];
    for (const socket of strangers) {
      socket.send({ t: 'here' });
      expect(await socket.closed).toMatchObject({ code: 4000 });
    }
  });

  it('[LINK3] gets an order again until it is taken, then never', async () => {
    const { node } = await newAgent();
    await message(node.id);
    const first = await TestRunner.connect();
    const seen = await first.socket.until('order');
    const second = await TestRunner.connect();
    expect((await first.socket.closed).code).toBe(4000);
    expect(await second.order(node.id)).toMatchObject({ kind: 'start', epoch: 1 });
    const third = await TestRunner.connect();
    const other = await newAgent();
    await message(other.node.id);
    expect(await third.socket.until('order')).not.toMatchObject({ order: seen['order'] });
  });

  it('[LINK4] [LINK5] goes on where the thread says after a gap', async () => {
    const { node, link } = await linked();
    await link.say(text('a'));
    const lines = spool(link.offset, text('b'), text('c'));
    link.socket.send({ t: 'lines', from: link.offset + 5, lines: lines.slice(1) });
    expect((await link.socket.closed).code).toBe(4000);
    const again = await TestLink.open(node.id, 1, 1);
    expect([again.offset, again.observed]).toEqual([link.offset, 1]);
    await again.say(text('b'), text('c'));
    expect((await logOf(node.id)).slice(2).map((event) => event.body)).toEqual(
      ['a', 'b', 'c'].map(text),
    );
  });

  it('goes on after an observation that is missing', async () => {
    const { node, link } = await linked();
    link.observed += 1;
    link.observe(exited());
    expect((await link.socket.closed).code).toBe(4000);
    expect((await TestLink.open(node.id, 1, 1)).observed).toBe(1);
  });

  it('[LINK6] is fenced off under another epoch or runner, and adds nothing', async () => {
    const { node } = await linked();
    const later = await TestLink.dial(node.id);
    later.hello(2);
    expect(await later.socket.next()).toEqual({ t: 'over', reason: 'fenced' });
    const foreign = await TestLink.dial(node.id);
    foreign.hello(1, 0, 'rn_other');
    expect(await foreign.socket.next()).toEqual({ t: 'over', reason: 'fenced' });
    foreign.socket.send({ t: 'lines', from: 0, lines: spool(0, text('forged')) });
    expect((await foreign.socket.closed).code).toBe(4000);
    expect(await logOf(node.id)).toHaveLength(2);
  });

  it('[LINK6] takes no observation of another epoch', async () => {
    const { node, link } = await linked();
    link.observe(exited(7));
    expect((await link.socket.closed).code).toBe(1008);
    expect(await logOf(node.id)).toHaveLength(2);
  });

  it('replaces a connection by the next, and takes nothing more from the first', async () => {
    const { node, link } = await linked();
    const next = await TestLink.open(node.id, 1, 1);
    expect((await link.socket.closed).code).toBe(4000);
    await next.say(text('a'));
    expect(await logOf(node.id)).toHaveLength(3);
  });

  it('[LINK7] is over when it comes back after its exit was stored', async () => {
    const { node, link } = await linked();
    link.observe(exited());
    await link.socket.until('over');
    const late = await TestLink.dial(node.id);
    late.hello();
    expect(await late.socket.next()).toEqual({ t: 'over', reason: 'ended' });
    late.socket.send({ t: 'observed', id: 3, body: started() });
    expect((await late.socket.closed).code).toBe(4000);
    expect(await logOf(node.id)).toHaveLength(3);
  });

  it('[LOG13] is told that its thread is deleted, at once and when it comes back', async () => {
    const { session, node, link } = await linked();
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
    expect(await link.socket.next()).toEqual({ t: 'over', reason: 'deleted' });
    link.socket.send({ t: 'lines', from: 0, lines: spool(0, text('late')) });
    expect(await link.socket.next()).toEqual({ t: 'over', reason: 'deleted' });
    const late = await TestLink.dial(node.id);
    expect(await late.socket.next()).toEqual({ t: 'over', reason: 'deleted' });
    await ask(404, 'GET', `/api/thread/${node.id}/events`);
  });

  it('[LINK1] is closed with a frame that does not parse', async () => {
    for (const frame of ['', '{', '{"t":"nope"}', '{"t":"lines","from":-1,"lines":[]}']) {
      const { node } = await newAgent();
      const link = await TestLink.dial(node.id);
      link.socket.send(frame);
      expect((await link.socket.closed).code).toBe(1008);
    }
  });

  it('stores a frame of very many lines', async () => {
    const { node, link } = await linked();
    await link.say(...Array.from({ length: 10_000 }, (_, i) => text(String(i))));
    expect((await logOf(node.id)).at(-1)).toMatchObject({ seq: 10_002, body: text('9999') });
  });
});

describe('the inputs of an agent', () => {
  it('[LINK9] come as frames, and again after a reconnect until they are written', async () => {
    const { node, link } = await linked();
    await message(node.id, 'more');
    const input = { id: 2, line: '{"type":"message","from":"user","content":"more"}\n' };
    expect(await link.socket.next()).toEqual({ t: 'input', input });
    const next = await TestLink.open(node.id, 1, 1);
    expect(await next.socket.next()).toEqual({ t: 'input', input });
    next.socket.send({ t: 'written', input: 2 });
    await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'pause' });
    const last = await TestLink.open(node.id, 1, 2);
    expect(await last.socket.next()).toMatchObject({ t: 'input', input: { id: 3 } });
  });

  it('go with the order to stop, the signal last', async () => {
    const runner = await TestRunner.connect();
    const { node, link } = await linked();
    await runner.order(node.id);
    link.socket.send({ t: 'written', input: 1 });
    await message(node.id, 'unread');
    await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'stop' });
    const order = await runner.order(node.id);
    expect(order).toMatchObject({ kind: 'stop', epoch: 1, inputs: [{ id: 2 }, { id: 3 }] });
    // Nothing more goes to a process that is being stopped: it waits for the next.
    await message(node.id, 'too late');
    const queue = await ask(200, 'GET', `/api/node/${node.id}/queue`);
    expect(queue).toMatchObject({ messages: [{ content: 'too late' }] });
  });

  it('[RUN19] pause and resume go as lines, and as orders with their place in the log', async () => {
    const runner = await TestRunner.connect();
    const { node } = await linked();
    await runner.order(node.id);
    const path = `/api/thread/${node.id}/signal`;
    await ask(202, 'POST', path, { action: 'pause' });
    const pause = await runner.order(node.id);
    await ask(202, 'POST', path, { action: 'resume' });
    const resume = await runner.order(node.id);
    const signals = (await logOf(node.id)).filter(({ source }) => source === 'user').slice(-2);
    const freeze = { kind: 'freeze', thread: node.id, epoch: 1 };
    expect(pause).toEqual({ ...freeze, frozen: true, seq: signals[0]?.seq });
    expect(resume).toEqual({ ...freeze, frozen: false, seq: signals[1]?.seq });
  });

  it('wait for an agent up to a bound', async () => {
    const { node } = await linked();
    const content = 'x'.repeat(120_000);
    for (let i = 0; i < 4; i += 1) await message(node.id, content);
    await ask(409, 'POST', `/api/thread/${node.id}/message`, { content });
    await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'stop' });
  });
});
