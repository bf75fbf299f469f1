import { expect, it } from 'vitest';
import { threadPage } from './thread-page.ts';

const ANSWER =
  'I begin with `verify()`, **then** the rest.\n\n- one\n- two\n\n```json\n{ "a": 1 }\n```';

it('messages of a person stand right in a bubble, those of an agent left without one, both with inline code', async () => {
  await using opened = await threadPage('Keep `src/auth` small.', [
    { type: 'text', content: ANSWER },
  ]);
  const { page } = opened;
  const mine = page.locator('[data-block="message"] .bubble');
  const theirs = page.locator('[data-block="text"] .prose');
  await theirs.waitFor();
  expect(await mine.locator('code').allInnerTexts()).toEqual(['src/auth']);
  expect(await theirs.locator('p code').allInnerTexts()).toEqual(['verify()']);
  expect(await theirs.locator('strong').innerText()).toBe('then');
  expect(await theirs.locator('li').allInnerTexts()).toEqual(['one', 'two']);

  const [column, right, left] = await Promise.all([
    page.locator('[data-block="message"]').boundingBox(),
    mine.boundingBox(),
    theirs.boundingBox(),
  ]);
  if (column === null || right === null || left === null) throw new Error('nothing is laid out');
  expect(right.x + right.width).toBeCloseTo(column.x + column.width, 0);
  expect(right.x).toBeGreaterThan(column.x + 100);
  expect(left.x).toBeCloseTo(column.x, 0);

  const look = (element: Element): { ground: string; radius: string } => {
    const { backgroundColor, borderTopLeftRadius } = getComputedStyle(element);
    return { ground: backgroundColor, radius: borderTopLeftRadius };
  };
  expect(await mine.evaluate(look)).toEqual({ ground: 'rgb(238, 240, 255)', radius: '14px' });
  expect(await theirs.evaluate(look)).toEqual({ ground: 'rgba(0, 0, 0, 0)', radius: '0px' });
  // The colours of code come with its grammar.
  await page.locator('[data-language="json"] .constant', { hasText: '1' }).waitFor();
});
