import { type AttentionItem, FilepathError, type RuleScope } from '@filepath/protocol';
import { client } from '../api.ts';

type Asked = { thread: string; prompt: string; hash: string | null };

/** How long what waits is looked for before the answer is given up. */
const PATIENCE_MS = 5000;

/** Answers a question of an agent for leave, and equal ones within the scope. */
export async function answerWithin(asked: Asked, choice: string, scope: RuleScope): Promise<void> {
  const item = await waitingItem(asked);
  if (item === null) {
    throw new FilepathError('conflict', 'this does not wait for an answer any more');
  }
  await client.attention.answer(item.id, { choice, scope });
}

/** Rules are kept by what waits for a person, which is a feed of its own. */
function waitingItem({ thread, prompt, hash }: Asked): Promise<AttentionItem | null> {
  const { promise, resolve } = Promise.withResolvers<AttentionItem | null>();
  const timer = setTimeout(() => resolve(null), PATIENCE_MS);
  const following = client.attention.follow({
    onEvents: (changes) => {
      for (const change of changes) {
        if (change.type !== 'item' || change.item.kind !== 'permission') continue;
        const { item } = change;
        const same = hash === null ? prompt.startsWith(item.why) : item.hash === hash;
        if (item.thread === thread && same) resolve(item);
      }
    },
  });
  return promise.finally(() => {
    clearTimeout(timer);
    following.close();
  });
}
