import { describe, expect, it } from 'vitest';
import { logOf, message, newAgent } from './support/api.ts';
import { exited, TestLink, TestRunner, text } from './support/runner.ts';

describe('an agent over its link', () => {
  it('[LINK3] is ordered by a message, heard, and over with its exit', async () => {
    const runner = await TestRunner.connect();
    const { node } = await newAgent();
    await message(node.id, 'hello');
    expect(await runner.order(node.id)).toMatchObject({
      kind: 'start',
      epoch: 1,
      slug: node.slug,
      task: 'hello',
      inputs: [{ id: 1, line: '{"type":"message","from":"user","content":"hello"}\n' }],
    });
    const link = await TestLink.open(node.id);
    expect(await link.socket.next()).toMatchObject({ t: 'input', input: { id: 1 } });
    await link.started();
    await link.say(text('a'), { type: 'done' });
    link.observe(exited());
    expect(await link.socket.next()).toEqual({ t: 'over', reason: 'ended' });
    const events = await logOf(node.id);
    expect(events.map((event) => [event.seq, event.source, (event.body as { type: string }).type])).toEqual([
      [1, 'user', 'message'],
      [2, 'runner', 'started'],
      [3, 'fap', 'text'],
      [4, 'fap', 'done'],
      [5, 'runner', 'exit'],
    ]);
  });

  it('big frame', async () => {
    const { node } = await newAgent();
    await message(node.id, 'hello');
    const link = await TestLink.open(node.id);
    await link.started();
    await link.say(...Array.from({ length: 20000 }, (_, i) => text(String(i))));
    expect(await logOf(node.id)).toHaveLength(20002);
  });
});
