import { type Answer, newThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { Asks } from '../../src/runner/asks.ts';

const question = { kind: 'changes' as const, thread: newThreadId(), slug: 'a-1' };
const failed = (reason: string): Answer => ({ kind: 'failed', reason });

it('[DIFF6] a question is answered by its number, and given up after a while', async () => {
  const asks = new Asks(20);
  const sent: number[] = [];
  const ask = () => asks.ask(question, (number) => sent.push(number));
  const [one, two, three] = [ask(), ask(), ask()];
  asks.answered(sent[1] ?? 0, failed('two'));
  asks.answered(sent[0] ?? 0, failed('one'));
  asks.answered(99, failed('nobody asked'));
  expect(await one).toEqual(failed('one'));
  expect(await two).toEqual(failed('two'));
  await expect(three).rejects.toThrow('not answered within 0.02 s');
});
