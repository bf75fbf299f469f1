import { expect, it } from 'vitest';
import { newThread, observe } from './support/threads.ts';

it('[RUN49] the first home to speak for an epoch has it, also after an eviction; the next epoch is free', () => {
  const t = newThread();
  t.thread.message('user', 'go', null);
  expect(t.thread.claim('a')).toBe(true);
  expect(t.thread.claim('a')).toBe(true);
  const again = t.reopen();
  expect(again.thread.claim('b')).toBe(false);
  expect(again.thread.claim('a')).toBe(true);
  observe(again, { type: 'started' });
  observe(again, { type: 'exit', code: 0 });
  again.thread.message('user', 'more', null);
  expect(again.thread.claim('b')).toBe(true);
});
