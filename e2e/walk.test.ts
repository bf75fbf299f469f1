import { isDeepStrictEqual } from 'node:util';
import { AxeBuilder } from '@axe-core/playwright';
import { makeRepo, scriptAgent, startBrowser, startInstance, tempDir } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

/** Every FAP event that shows as a block of its own by default, and what else a thread of this agent shows. */
const KINDS = [
  'message',
  'text',
  'tool',
  'command',
  'commits',
  'spawn',
  'workers',
  'handoff',
  'done',
];

const [shell, flag, script, name] = scriptAgent('all-events').command;
const COMMAND = `exec ${shell} ${flag} '${(script ?? '').replaceAll("'", `'\\''`)}' ${name}`;

/** The kind of each block, and what it says. */
function blocks(page: Page): Promise<string[][]> {
  return page
    .locator('[data-block]')
    .evaluateAll((all) =>
      all.map((block) => [
        block.getAttribute('data-block') ?? '',
        block instanceof HTMLElement ? block.innerText : '',
      ]),
    );
}

/** Waits for a block of the thread with this text. */
async function said(page: Page, text: string): Promise<void> {
  await page.locator('[data-block]', { hasText: text }).first().waitFor();
}

async function axe(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`,
  );
}

it('sign in, create a session on a repository, spawn an agent, watch every event, reload, open a second browser', async () => {
  await using instance = await startInstance({}, { throughNpm: true });
  await using browser = await startBrowser();
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const page = await browser.visitor();

  await page.goto(`${instance.url}/`);
  await page.waitForURL('**/sign-in');
  await page.goto(instance.signInUrl);
  await page.getByTestId('new-session').first().click();
  await page.getByLabel(/repository/i).fill(repo.path);
  await page.getByTestId('create-session').click();
  await page.waitForURL('**/session/ses_*');
  await page.getByLabel('Custom').check();
  await page.getByLabel(/command/i).fill(COMMAND);
  await page.getByTestId('spawn-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByTestId('message-input').fill('say everything');
  await page.getByTestId('message-input').press('Enter');
  await page.locator('[data-block="done"]').waitFor();
  for (const kind of KINDS) await page.locator(`[data-block="${kind}"]`).first().waitFor();
  await page.locator('[data-node][data-status="done"]', { hasText: 'helper' }).waitFor();

  await page.getByTestId('message-input').fill('a second message');
  await page.getByTestId('send').click();
  await said(page, 'echo: a second message');
  // The last thing that the agent says for now.
  await page.getByTestId('status').filter({ hasText: 'Idle' }).waitFor();

  // Parts of some blocks come after them.
  const other = await browser.visitor({ dark: true });
  await other.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await other.goto(page.url());
  await said(other, 'echo: a second message');
  await expect
    .poll(async () => isDeepStrictEqual(await blocks(page), await blocks(other)))
    .toBe(true);
  const seen = await blocks(page);

  await page.reload();
  await said(page, 'echo: a second message');
  await expect.poll(() => blocks(page)).toEqual(seen);

  await other.getByTestId('message-input').fill('from the other browser');
  await other.getByTestId('message-input').press('Enter');
  await said(page, 'echo: from the other browser');

  await page.locator('[data-node]', { hasText: 'helper' }).first().click();
  await said(page, 'child at work on: child: say hello');

  expect(await axe(page)).toEqual([]);
  expect(await axe(other)).toEqual([]);
  if (process.env['SCREENSHOTS']) {
    const dir = process.env['SCREENSHOTS'];
    await other.screenshot({ path: `${dir}/walk-dark.png` });
    await page.locator('[data-node]').first().click();
    await said(page, 'echo: a second message');
    await page.screenshot({ path: `${dir}/walk-light.png` });
    await page.goto(`${instance.url}/`);
    await page.getByTestId('new-session').first().waitFor();
    await page.screenshot({ path: `${dir}/dashboard.png` });
  }
});

it('a sign-in link works once', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const first = await browser.visitor();
  await first.goto(instance.signInUrl);
  await first.getByTestId('new-session').first().waitFor();
  const second = await browser.visitor();
  await second.goto(instance.signInUrl);
  await second.waitForURL('**/sign-in?error=*');
});
