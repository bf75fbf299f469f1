import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** Works until it is answered; then says what it was told next, and ends. */
const AGENT = `read -r task
echo '{"type":"status","state":"running"}'
echo '{"type":"decision","id":"d1","prompt":"Shall it end?","options":["yes"],"hash":"h1"}'
read -r answer
echo '{"type":"done"}'
read -r next
printf '{"type":"text","content":"told: %s"}\\n' "$(printf %s "$next" | tr -d '"')"
echo '{"type":"done"}'`;

it('[TALK10] [TALK11] [BLK15] [UII12] a message waits above the input, is edited or withdrawn, and is delivered when the run has ended', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['sh', '-c', AGENT]);
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);
  const input = page.getByTestId('message-input');
  await input.fill('go');
  await input.press('Enter');
  const end = page.locator('[data-decision] button:enabled', { hasText: 'yes' });
  await end.waitFor();

  await input.fill('first');
  await input.press('Alt+Enter');
  const rows = page.locator('[data-queued]');
  await rows.filter({ hasText: 'first' }).waitFor();
  await input.fill('second');
  await page.getByTestId('send-after').click();
  await rows.filter({ hasText: 'second' }).waitFor();

  await rows.filter({ hasText: 'first' }).getByTestId('queued-edit').click();
  const field = page.getByLabel('Message that waits');
  await field.fill('the first');
  await page.getByTestId('queued-save').click();
  await rows.filter({ hasText: 'the first' }).waitFor();

  // By keys: the field has the focus, which goes back to where it was.
  const edit = rows.filter({ hasText: 'second' }).getByTestId('queued-edit');
  const focused = (one: typeof edit) => one.evaluate((node) => node === document.activeElement);
  await edit.press('Enter');
  await expect.poll(() => focused(field)).toBe(true);
  await page.keyboard.type(' thoughts');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(edit)).toBe(true);
  expect(await rows.filter({ hasText: 'thoughts' }).count()).toBe(0);
  await page.keyboard.press('Enter');
  await field.waitFor();
  await page.keyboard.type(' thoughts');
  await page.keyboard.press('Enter');
  await rows.filter({ hasText: 'second thoughts' }).waitFor();
  await expect.poll(() => focused(edit)).toBe(true);
  await rows.filter({ hasText: 'second' }).getByTestId('queued-withdraw').press('Enter');
  await rows.filter({ hasText: 'second' }).waitFor({ state: 'detached' });
  await expect.poll(() => focused(input)).toBe(true);
  expect(await rows.count()).toBe(1);

  await end.click();
  await page.locator('[data-block="text"]', { hasText: 'content:the first' }).waitFor();
  await page.locator('[data-block="message"]', { hasText: 'the first' }).waitFor();
  expect(await rows.count()).toBe(0);
  expect(await page.locator('[data-block]', { hasText: 'second' }).count()).toBe(0);
});
