import { Node } from '@filepath/protocol';
import { Api, makeRepo, startBrowser, startInstance, tempDir } from '@filepath/testkit';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { give } from './given-files.ts';

/** Says what it is told, and waits for more. */
const AGENT = `while read -r line; do
printf '{"type":"text","content":"got %s"}\\n' "$(printf %s "$line" | sed -E 's/.*"content":"([^"]*)".*/\\1/')"
echo '{"type":"done"}'
done`;

const field = (page: Page) => page.getByTestId('message-input');
const heard = (page: Page, text: string) =>
  page.locator('[data-block="text"]', { hasText: `got ${text}` }).waitFor();

/** What was sent is taken, and the field is free for more. */
async function emptied(page: Page): Promise<void> {
  await expect.poll(() => field(page).inputValue()).toBe('');
}

async function opened(page: Page, instance: { url: string; token: string }, path: string) {
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}${path}`);
  await field(page).waitFor();
}

async function child(api: Api, session: string, parentId: string, name: string): Promise<Node> {
  const body = { parentId, name, agentType: 'custom', config: { command: ['sh', '-c', AGENT] } };
  const path = `/api/session/${session}/node`;
  return (await api.json(z.object({ node: Node }), 'POST', path, body)).node;
}

it('[UII1] [UII2] [UII3] a draft stays with its agent over a change of agents and a reload; what was sent comes back by the arrow', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT], { name: 'root' });
  await child(api, session.id, node.id, 'helper');
  const page = await browser.visitor();
  await opened(page, instance, `/session/${session.id}?node=${node.id}`);

  await field(page).fill('half a thought');
  await page.locator('[data-node]', { hasText: 'helper' }).click();
  await page.getByPlaceholder('Message helper…').waitFor();
  expect(await field(page).inputValue()).toBe('');
  await page.reload();
  await page.getByPlaceholder('Message helper…').waitFor();
  expect(await field(page).inputValue()).toBe('');
  await page.locator('[data-node]', { hasText: 'root' }).first().click();
  await page.getByPlaceholder('Message root…').waitFor();
  expect(await field(page).inputValue()).toBe('half a thought');
  await field(page).press('Enter');
  await heard(page, 'half a thought');
  await emptied(page);
  await page.reload();
  await heard(page, 'half a thought');
  expect(await field(page).inputValue()).toBe('');

  await field(page).press('ArrowUp');
  expect(await field(page).inputValue()).toBe('half a thought');
  await field(page).press('ArrowDown');
  expect(await field(page).inputValue()).toBe('');

  await field(page).fill(Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n'));
  const { height } = (await field(page).boundingBox()) ?? { height: 0 };
  expect(height).toBeGreaterThan(860 * 0.3);
  expect(height).toBeLessThanOrEqual(860 * 0.4 + 1);
  await field(page).press('Escape');
  expect(await field(page).evaluate((one) => one === document.activeElement)).toBe(false);

  // Enter that ends a composition sends nothing.
  await field(page).fill('composed');
  await field(page).evaluate((one) => {
    const key = { key: 'Enter', isComposing: true, bubbles: true, cancelable: true };
    one.dispatchEvent(new KeyboardEvent('keydown', key));
  });
  expect(await field(page).inputValue()).toBe('composed');
});

it('[UII4] commands are listed and carried out; an unknown one is sent as text only when that is asked for', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session, node } = await new Api(instance).agent(['sh', '-c', AGENT], { name: 'root' });
  const page = await browser.visitor();
  await opened(page, instance, `/session/${session.id}?node=${node.id}`);

  await field(page).pressSequentially('/ren');
  const options = page.locator('[data-suggestion="command"]');
  await options.filter({ hasText: '/rename' }).waitFor();
  expect(await options.count()).toBe(1);
  const active = await field(page).getAttribute('aria-activedescendant');
  expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
  await field(page).press('Tab');
  await field(page).pressSequentially('other name');
  await field(page).press('Enter');
  await page.getByRole('heading', { name: 'other name' }).waitFor();
  await emptied(page);

  await field(page).pressSequentially('/help');
  await field(page).press('Enter');
  await page.getByRole('option', { name: /clear-draft/ }).waitFor();
  expect(await options.count()).toBe(11);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await field(page).press('Escape');
  expect(await options.count()).toBe(0);

  await field(page).fill('/deploy');
  await field(page).press('Enter');
  await page.getByText('There is no command /deploy.').waitFor();
  expect(await page.locator('[data-block="message"]').count()).toBe(0);
  await page.getByTestId('send-as-text').click();
  await heard(page, '/deploy');
  await emptied(page);

  await field(page).fill('/pause lunch');
  await field(page).press('Enter');
  await page.getByText('paused: lunch').first().waitFor();
  await page.getByTestId('agent-actions').click();
  await page.getByTestId('resume-node').click();
  await page.getByText('paused: lunch').first().waitFor({ state: 'detached' });

  await field(page).fill('/budget');
  await field(page).press('Enter');
  await page.getByRole('dialog').waitFor();
});

it('[UII5] [UII6] agents and files are named by an at sign, by keyboard or pointer', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const api = new Api(instance);
  const options = { name: 'root', gitRepoUrl: repo.path };
  const { session, node } = await api.agent(['sh', '-c', AGENT], options);
  const helper = await child(api, session.id, node.id, 'helper');
  await child(api, session.id, node.id, 'helper-two');
  const page = await browser.visitor();
  await opened(page, instance, `/session/${session.id}?node=${node.id}`);
  await field(page).fill('begin');
  await field(page).press('Enter');
  await heard(page, 'begin');
  await emptied(page);

  await field(page).pressSequentially('look at @REA');
  await page.locator('[data-suggestion="file"]', { hasText: 'README.md' }).waitFor();
  await field(page).press('Enter');
  expect(await field(page).inputValue()).toBe('look at @README.md ');
  await field(page).pressSequentially('with @hel');
  const agents = page.locator('[data-suggestion="agent"]');
  await agents.nth(1).waitFor();
  await page.getByRole('option', { name: /^helper (idle|thinking|running|done) / }).waitFor();
  // The list grows when the files are found, and its rows move.
  await page.locator('[data-suggestion="file"]', { hasText: 'hello.txt' }).waitFor();
  await field(page).press('ArrowDown');
  await field(page).press('ArrowUp');
  await agents.filter({ has: page.getByText('helper', { exact: true }) }).click();
  expect(await field(page).inputValue()).toBe('look at @README.md with @helper ');
  await field(page).press('Enter');
  await heard(page, 'look at @README.md with @helper');
  await page.getByRole('link', { name: '@helper' }).click();
  await page.waitForURL(`**node=${helper.id}*`);
  await page.getByPlaceholder('Message helper…').waitFor();
});

it('[UII7] on a touch screen Enter begins a line, the button sends, and the text is large enough not to be enlarged', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['sh', '-c', AGENT]);
  const page = await browser.visitor({ width: 390, touch: true });
  await opened(page, instance, `/session/${session.id}`);
  await field(page).pressSequentially('one');
  await field(page).press('Enter');
  await field(page).pressSequentially('two');
  expect(await field(page).inputValue()).toBe('one\ntwo');
  expect(await field(page).evaluate((one) => parseFloat(getComputedStyle(one).fontSize))).toBe(16);
  await page.getByTestId('send').tap();
  await page.locator('[data-block="text"]', { hasText: 'got one' }).waitFor();

  // As every other field.
  await page.getByTestId('agents-menu').tap();
  await page.getByTestId('tree-find').tap();
  await page.getByTestId('tree-search').waitFor();
  const sizes = (): Promise<number[]> =>
    page
      .locator('input, select, textarea')
      .evaluateAll((all) => [
        ...new Set(all.map((one) => parseFloat(getComputedStyle(one).fontSize))),
      ]);
  expect(await sizes()).toEqual([16]);
  await page.goto(`${instance.url}/session/${session.id}?spawn`);
  await page.getByTestId('spawn-more').locator('summary').tap();
  await page.locator('[name="gates"]').waitFor();
  expect(await sizes()).toEqual([16]);
  await page.goto(instance.url);
  await page.getByTestId('session-order').waitFor();
  expect(await sizes()).toEqual([16]);
});

it('[UII8] the header has the actions of the agent in a menu, and its name is changed in place', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session, node } = await new Api(instance).agent(['sh', '-c', AGENT], { name: 'root' });
  const page = await browser.visitor();
  await opened(page, instance, `/session/${session.id}?node=${node.id}`);
  const menu = page.getByTestId('agent-actions');
  await menu.click();
  await page.getByRole('menuitem').first().waitFor();
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'Pause',
    'Start again…',
    'Hand off',
    'Changes',
    'Budget…',
    'Rename',
    'Export',
    'Delete…',
  ]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  const download = page.waitForEvent('download');
  await page.getByTestId('export-node').click();
  expect((await download).suggestedFilename()).toBe(`${node.id}.ndjson`);
  await page.getByRole('menu').waitFor({ state: 'detached' });

  await menu.focus();
  await page.keyboard.press('Enter');
  await page.locator('[role="menuitem"]:focus').waitFor();
  await page.keyboard.type('ren');
  await page.locator('[role="menuitem"]:focus', { hasText: 'Rename' }).waitFor();
  await page.keyboard.press('Enter');
  const name = page.getByTestId('name-input');
  await name.fill('never');
  await name.press('Escape');
  await page.getByRole('heading', { name: 'root' }).waitFor();
  await page.getByRole('heading', { name: 'root' }).dblclick();
  await name.fill('renamed');
  await name.press('Enter');
  await page.getByRole('heading', { name: 'renamed' }).waitFor();
  await page.locator('[data-node]', { hasText: 'renamed' }).waitFor();

  await menu.click();
  await page.getByTestId('delete-node').click();
  await page.getByTestId('confirm').click();
  await page.getByTestId('tree-empty').waitFor();
});

/** Says the words of its messages, and what stands in the files that they name. */
const READER = `while read -r line; do
for file in /home/agent/inbox/*; do
printf '{"type":"text","content":"%s holds %s bytes"}\\n' "$(basename "$file")" "$(wc -c < "$file")"
done
echo '{"type":"done"}'
done`;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('[UII9] [UII10] [UII11] files are picked, pasted or dropped, shown before and after they are sent, and are there when the agent reads of them', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['sh', '-c', READER]);
  const page = await browser.visitor();
  await opened(page, instance, `/session/${session.id}`);

  await page.getByTestId('file-input').setInputFiles([
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('some words') },
    { name: 'huge.bin', mimeType: 'text/plain', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) },
  ]);
  await page.getByText('huge.bin is larger than').waitFor();
  for (const how of ['paste', 'drop'] as const) {
    await give(field(page), how, { name: `${how}.png`, type: 'image/png', bytes: PNG });
    await page.locator(`[data-attached="${how}.png"] img`).waitFor();
  }
  await page.getByRole('button', { name: 'Remove drop.png' }).click();
  expect(await page.locator('[data-attached]').count()).toBe(2);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await page.locator('[data-attached="notes.txt"]:not([aria-busy="true"])').waitFor();
  await field(page).fill('read these');
  await field(page).press('Enter');
  for (const words of ['-notes.txt holds 10 bytes', `-paste.png holds ${PNG.length} bytes`]) {
    await page.locator('[data-block="text"]', { hasText: words }).waitFor();
  }
  const sent = page.locator('[data-block="message"]', { hasText: 'read these' });
  const image = sent.locator('img[alt="paste.png"]');
  await expect
    .poll(() => image.evaluate((one: HTMLImageElement) => [one.complete, one.naturalWidth]))
    .toEqual([true, 1]);
  const download = page.waitForEvent('download');
  await sent.getByRole('link', { name: /notes\.txt/ }).click();
  expect((await download).suggestedFilename()).toBe('notes.txt');
  expect(await page.locator('[data-attached]').count()).toBe(0);
  expect(await sent.innerText()).not.toContain('/home/agent');
});
