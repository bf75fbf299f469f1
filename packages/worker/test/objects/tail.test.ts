import { ThreadTail } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { ask, logOf, message, newAgent } from './support/api.ts';
import { TestLink, text } from './support/runner.ts';

it('[UIV1] the end of a thread is read over HTTP, page by page to its beginning', async () => {
  const { node } = await newAgent();
  await message(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  await link.say(...Array.from({ length: 9 }, (_, i) => text(`line ${i}`)));
  const path = `/api/thread/${node.id}/tail`;
  const pages: ThreadTail[] = [];
  for (let before: number | null | undefined; before !== null;) {
    const query = before === undefined ? '?limit=4' : `?limit=4&before=${before}`;
    const page: ThreadTail = ThreadTail.parse(await ask(200, 'GET', `${path}${query}`));
    pages.unshift(page);
    before = page.before;
  }
  expect(pages.flatMap(({ events }) => events)).toEqual(await logOf(node.id));
  expect(pages.map(({ now }) => now?.lifecycle.open)).toEqual([undefined, undefined, true]);
  await ask(400, 'GET', `${path}?before=0`);
  await ask(400, 'GET', `${path}?limit=1001`);
});
