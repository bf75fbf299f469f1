import { makeRepo, startBrowser, startInstance, tempDir } from '@filepath/testkit';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seen } from './screens.ts';

const WORK_MS = 150_000;

it('[UIH12] the first five minutes, without a key: sign in, a session on a repository, an agent, its tools, commits and children, a child, the end, settings; at every width', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  using repo = tempDir('greenhouse');
  makeRepo(repo.path);
  const page = await browser.visitor({ width: 1440 });

  await page.goto(`${instance.url}/`);
  await page.waitForURL('**/sign-in');
  await page.getByTestId('token').waitFor();
  await seen(page, 'sign-in');
  await page.goto(instance.signInUrl);
  await page.getByText('No session yet').first().waitFor();
  await seen(page, 'empty-dashboard');

  await page.getByTestId('new-session').first().click();
  await page.getByLabel(/^(?:session )?name/i).fill('greenhouse');
  await page.getByLabel(/repository/i).fill(repo.path);
  await seen(page, 'new-session');
  await page.getByTestId('create-session').click();
  await page.waitForURL('**/session/ses_*');
  await page.getByRole('radio', { name: /shelley/i }).check();
  await expect.poll(() => page.getByTestId('model').inputValue()).toBe('offline/demo');
  await seen(page, 'spawn');
  await page.getByTestId('spawn-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByTestId('message-input').fill('Plant a rose, and say what grows here.');
  await page.getByTestId('message-input').press('Enter');
  await page.locator('[data-block="spawn"]').first().waitFor({ timeout: WORK_MS });
  await seen(page, 'at-work');
  await page.getByTestId('run-line').last().waitFor({ timeout: WORK_MS });
  for (const kind of ['tool', 'command', 'commits', 'spawn']) {
    await page.locator(`[data-block="${kind}"]`).first().waitFor({ state: 'attached' });
  }
  await seen(page, 'done');

  await page.locator('[data-node][data-status="done"]', { hasText: 'demo reader' }).click();
  await page.getByRole('heading', { name: 'demo reader', level: 1 }).waitFor();
  await page.getByTestId('run-line').last().waitFor();
  await seen(page, 'child');

  await page.getByRole('link', { name: /all sessions/i }).click();
  await page.getByRole('link', { name: 'greenhouse' }).first().waitFor();
  await seen(page, 'dashboard');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await seen(page, 'settings');
}, 600_000);

/** Presses Tab until the focus is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.first().evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way by Tab to ${String(target)}`);
}

it('[UIH14] the same by keyboard alone', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  using repo = tempDir('greenhouse');
  makeRepo(repo.path);
  const page = await browser.visitor();
  const keys = page.keyboard;

  await page.goto(`${instance.url}/sign-in`);
  await tabTo(page, page.getByTestId('token'));
  await keys.type(instance.token);
  await keys.press('Enter');
  await tabTo(page, page.getByTestId('new-session'));
  await keys.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, page.getByLabel(/repository/i));
  await keys.type(repo.path);
  await keys.press('Enter');
  await page.waitForURL('**/session/ses_*');
  await page.getByRole('dialog').waitFor();
  await tabTo(
    page,
    page.getByRole('dialog').locator('[type="radio"]:checked, [role="radio"][tabindex="0"]'),
  );
  const shelley = page.getByRole('radio', { name: /shelley/i });
  for (let presses = 0; presses < 20 && !(await shelley.isChecked()); presses += 1) {
    await keys.press('ArrowRight');
  }
  await expect.poll(() => page.getByTestId('model').inputValue()).toBe('offline/demo');
  await tabTo(page, page.getByTestId('spawn-confirm'));
  await keys.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await tabTo(page, page.getByTestId('message-input'));
  await keys.type('Plant a rose');
  await keys.press('Enter');
  await page.getByTestId('run-line').last().waitFor({ timeout: WORK_MS });

  const reader = page.getByRole('treeitem', { name: /demo reader/ });
  await tabTo(page, page.locator('[role="treeitem"][tabindex="0"]'));
  for (let presses = 0; presses < 5; presses += 1) {
    if (await reader.evaluate((one) => one === document.activeElement)) break;
    await keys.press('ArrowDown');
  }
  await keys.press('Enter');
  await page.getByRole('heading', { name: 'demo reader', level: 1 }).waitFor();
  await tabTo(page, page.getByRole('link', { name: /all sessions/i }));
  await keys.press('Enter');
  await page.getByTestId('new-session').first().waitFor();
  await tabTo(page, page.getByRole('link', { name: 'Settings' }));
  await keys.press('Enter');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
}, 600_000);
