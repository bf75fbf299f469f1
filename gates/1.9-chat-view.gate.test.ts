import {
  Api,
  makeRepo,
  scriptAgent,
  startBrowser,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { expect, it } from 'vitest';

/** Every kind of block that the events of an agent make. */
const KINDS = ['message', 'text', 'tool', 'command', 'commits', 'spawn', 'workers', 'handoff'];

it('[UIV11] [UIV14] a conversation is empty, shows every type of message, and follows its end', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const api = new Api(instance);
  const { command } = scriptAgent('all-events');
  const { session, node } = await api.agent(command, { gitRepoUrl: repo.path });
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.getByTestId('new-session').first().waitFor();
  await page.goto(`${instance.url}/session/${session.id}?node=${node.id}`);

  const empty = page.getByTestId('thread-note');
  await empty.filter({ hasText: 'Send a message to activate this agent' }).waitFor();
  expect(await empty.locator('svg').count()).toBe(1);

  await page.getByTestId('message-input').fill('say everything');
  await page.getByTestId('message-input').press('Enter');
  for (const kind of KINDS) await page.locator(`[data-block="${kind}"]`).first().waitFor();
  await page.getByTestId('run-line').first().waitFor();
  expect(await page.getByTestId('thread-note').count()).toBe(0);

  // The header says what the agent is at; its lines are there for those who want them.
  expect(await page.locator('[data-block="status"]').count()).toBe(0);
  await page.getByTestId('agent-actions').click();
  await page.getByRole('menuitemcheckbox', { name: 'Every line' }).click();
  await page.locator('[data-block="status"]').first().waitFor();

  const fromEnd = (): Promise<number> =>
    page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
  for (const message of ['one', 'two', 'three', 'four']) {
    await page.getByTestId('message-input').fill(message);
    await page.getByTestId('message-input').press('Enter');
    await page.locator('[data-block="text"]', { hasText: `echo: ${message}` }).waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    // It is empty once its message is taken; until then no other is sent.
    await expect.poll(() => page.getByTestId('message-input').inputValue()).toBe('');
  }
  expect(await page.getByRole('log').evaluate((log) => log.scrollTop)).toBeGreaterThan(0);
});
