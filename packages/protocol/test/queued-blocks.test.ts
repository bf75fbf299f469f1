import { describe, expect, it } from 'vitest';
import { type Block, CATALOG, canBeSteered, newMessageId, toBlocks } from '../src/index.ts';
import { fap, log, type Said, system, user } from './events.ts';

const shown = (...said: Said[]): readonly Block[] => toBlocks(log(...said));

describe('[BLK15] messages that wait', () => {
  const [one, two] = [newMessageId(), newMessageId()];
  const queue = (type: string, id: string, content?: string): Said => ({
    source: 'user',
    body: { type, id, ...(content !== undefined && { content }) },
  });
  const delivered = (content: string, queued: string): Said => ({
    source: 'user',
    body: { type: 'message', from: 'user', content, queued },
  });
  const waiting = [user('go'), queue('queued', one, 'a'), queue('queued', two, 'b')];
  const words = (...said: Said[]) =>
    shown(...said).map((block) => ('content' in block ? `${block.kind} ${block.content}` : ''));

  it('stand at the end, as they were changed last', () => {
    expect(words(...waiting, fap({ type: 'text', content: 'hm' }))).toEqual([
      'message go',
      'text hm',
      'queued a',
      'queued b',
    ]);
    expect(words(...waiting, queue('requeued', one, 'A'))).toEqual([
      'message go',
      'queued A',
      'queued b',
    ]);
    expect(shown(...waiting).at(-1)).toMatchObject({ message: two, state: 'waiting', seq: 3 });
  });

  it('leave when they are delivered or withdrawn', () => {
    const said = [...waiting, fap({ type: 'done' }), delivered('a', one)];
    expect(words(...said)).toEqual(['message go', '', 'message a', 'queued b']);
    expect(words(...said, queue('withdrawn', two))).toEqual(['message go', '', 'message a']);
    expect(words(...said, queue('requeued', one, 'late'))).toEqual(words(...said));
  });

  it('stand after a stop, until there is another message', () => {
    const said = [...waiting, system({ type: 'queue_stands', messages: 2 })];
    const states = (...more: Said[]) =>
      shown(...said, ...more).flatMap((block) => (block.kind === 'queued' ? [block.state] : []));
    expect(shown(...said)[1]).toMatchObject({
      kind: 'notice',
      text: '2 messages stay in the queue',
    });
    expect(states()).toEqual(['standing', 'standing']);
    expect(states(user('again'))).toEqual(['waiting', 'waiting']);
  });
});

it('[TALK9] agents that take no message while they work are known by the catalog', () => {
  const deaf = CATALOG.filter((entry) => !canBeSteered(entry)).map(({ type }) => type);
  expect(deaf).toEqual(['cursor', 'gemini', 'qwen']);
});
