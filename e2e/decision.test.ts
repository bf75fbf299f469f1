import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** Asks, says what it was told, and asks again before it ends. */
const AGENT = `read -r task
echo '{"type":"decision","id":"d1","prompt":"Delete the old table?","options":["yes","no"],"hash":"h1"}'
read -r answer
printf '{"type":"text","content":"told: %s"}\\n' "$(printf %s "$answer" | tr -d '"')"
echo '{"type":"decision","id":"d2","prompt":"And the other?","options":["yes","no"],"hash":"h2"}'`;

it('[CAT8] a question is answered with a click, from any browser, and each of them shows the answer', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session } = await api.agent(['sh', '-c', AGENT]);
  const [page, other] = [await browser.visitor(), await browser.visitor({ dark: true })];
  for (const viewer of [page, other]) {
    await viewer.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await viewer.goto(`${instance.url}/session/${session.id}`);
  }
  await page.getByTestId('message-input').fill('go');
  await page.getByTestId('message-input').press('Enter');
  const question = page.locator('[data-decision]', { hasText: 'Delete the old table?' });
  await question.locator('button:enabled', { hasText: 'yes' }).waitFor();
  await page.locator('[data-node][aria-label*="waiting for a person"]').waitFor();

  const same = other.locator('[data-decision]', { hasText: 'Delete the old table?' });
  await same.locator('button', { hasText: 'no' }).click();
  await page.locator('[data-block]', { hasText: 'choice:no' }).waitFor();
  for (const block of [question, same]) {
    await block.getByText('Answered: no').waitFor();
    expect(await block.locator('button:enabled').count()).toBe(0);
    expect(await block.locator('button[aria-pressed="true"]').allInnerTexts()).toEqual(['no']);
  }
  const gone = page.locator('[data-decision="over"]', { hasText: 'And the other?' });
  await gone.getByText('The process that asked is gone.').waitFor();
  expect(await gone.locator('button:enabled').count()).toBe(0);
});
