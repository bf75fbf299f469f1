import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { transcript } from '../integration/chat-support.ts';
import { give } from './given-files.ts';
import { answers, input, ready, rows, say, startClaw } from './liteclaw-support.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg"><script>globalThis.ran = true</script></svg>',
);

/** It was fetched, and is a picture. */
async function seen(image: Locator): Promise<void> {
  await expect
    .poll(() => image.evaluate((one: HTMLImageElement) => [one.complete, one.naturalWidth]))
    .toEqual([true, 1]);
}

const pick = (page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> =>
  page.getByTestId('file-input').setInputFiles([{ name, mimeType, buffer }]);

it('[CFILE1] pictures are picked, pasted and dropped, the model sees them, and they are there after a reload', async () => {
  await using claw = await startClaw([{ text: 'Three dots.' }, { text: 'Nothing new.' }]);
  const page = await claw.visit('/hatchery');
  await page.getByTestId('spawn-claw').click();
  await input(page).waitFor();

  await pick(page, 'pick.png', 'image/png', PNG);
  for (const how of ['paste', 'drop'] as const)
    // Each is another file.
    await give(input(page), how, {
      name: `${how}.png`,
      type: 'image/png',
      bytes: Buffer.concat([PNG, Buffer.from(how)]),
    });
  for (const name of ['pick', 'paste', 'drop'])
    await seen(page.locator(`[data-attached="${name}.png"] img`));
  await pick(page, 'drawing.svg', 'image/svg+xml', SVG);
  await pick(page, 'list.md', 'text/markdown', Buffer.from('- milk'));
  for (const name of ['drawing.svg', 'list.md'])
    await page.locator(`[data-attached="${name}"]:not([aria-busy="true"])`).waitFor();
  await pick(page, 'huge.bin', 'a/b', Buffer.alloc(10 * 1024 * 1024 + 1));
  await page.getByText('huge.bin is larger than').waitFor();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await say(page, 'What are these?');
  await answers(page).getByText('Three dots.').waitFor();
  expect(await page.locator('[data-attached]').count()).toBe(0);

  const { raw = '', lastText = '' } = claw.server.calls.at(-1)?.request ?? {};
  for (const end of ['', 'paste', 'drop'])
    expect(raw).toContain(Buffer.concat([PNG, Buffer.from(end)]).toString('base64'));
  expect(lastText).toContain('- milk');

  await page.reload();
  await ready(page);
  const mine = rows(page).first();
  for (const name of ['pick', 'paste', 'drop']) await seen(mine.locator(`img[alt="${name}.png"]`));
  expect(await mine.locator('img').count()).toBe(3);
  const download = page.waitForEvent('download');
  await mine.getByRole('link', { name: 'drawing.svg' }).click();
  expect((await download).suggestedFilename()).toBe('drawing.svg');
  const id = page.url().split('/').at(-1) ?? '';
  const [stored] = await transcript(claw.api, id);
  const urls = (stored?.parts ?? []).flatMap((part) => (part.type === 'file' ? [part['url']] : []));
  expect(urls).toHaveLength(5);
  for (const url of urls)
    expect(url).toMatch(/^r2:\/\/filepath-blobs\/chats\/.*#sha256=[0-9a-f]{64}$/);

  // A file alone is a message.
  await give(input(page), 'paste', { name: 'again.png', type: 'image/png', bytes: PNG });
  await page.locator('[data-attached="again.png"] img').waitFor();
  await input(page).press('Enter');
  await answers(page).getByText('Nothing new.').waitFor();
  await seen(rows(page).nth(2).locator('img[alt="again.png"]'));
  expect(await page.evaluate(() => Reflect.get(globalThis, 'ran'))).toBeUndefined();
});

it('[CFILE1] an answer that failed is asked for again with its files, and what is refused is in the field again with them', async () => {
  const fault = { kind: 'status', status: 400, message: 'not now' } as const;
  await using claw = await startClaw(() => ({ fault }), { LITECLAW_MESSAGES_PER_MINUTE: '2' });
  const page = await claw.visit('/hatchery');
  await page.getByTestId('spawn-claw').click();
  await input(page).waitFor();
  const picture = { name: 'dot.png', type: 'image/png', bytes: PNG };
  await give(input(page), 'paste', picture);
  await seen(page.locator('[data-attached="dot.png"] img'));
  await say(page, 'Look');
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
  await ready(page);
  claw.server.play({ script: [{ text: 'A dot.' }] });
  await page.getByRole('button', { name: 'Ask again' }).click();
  await answers(page).getByText('A dot.').waitFor();
  expect(claw.server.calls.at(-1)?.request.raw).toContain(PNG.toString('base64'));

  await ready(page);
  await give(input(page), 'drop', { ...picture, name: 'next.png' });
  await seen(page.locator('[data-attached="next.png"] img'));
  await say(page, 'And this?');
  await page.getByText('At most 2 messages a minute').waitFor();
  expect(await input(page).inputValue()).toBe('And this?');
  await seen(page.locator('[data-attached="next.png"] img'));
});
