import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

const AGENT = `while read -r line; do
printf '{"type":"text","content":"got %s"}\\n' "$(printf %s "$line" | sed -E 's/.*"content":"(.*)".*/\\1/')"
echo '{"type":"done"}'
done`;

it('the input is monospace, takes text, and sends it by Enter or the button; Shift+Enter begins a line', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT]);
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);
  const input = page.getByTestId('message-input');
  const send = page.getByTestId('send');
  expect(await input.evaluate((field) => getComputedStyle(field).fontFamily)).toContain('mono');
  expect(await send.isDisabled()).toBe(true);
  expect(await send.locator('svg').count()).toBe(1);

  await input.pressSequentially('first line');
  await input.press('Shift+Enter');
  await input.pressSequentially('second line');
  expect(await input.inputValue()).toBe('first line\nsecond line');
  await input.press('Enter');
  await page.locator('[data-block="text"]', { hasText: 'got first line' }).waitFor();
  await expect.poll(() => input.inputValue()).toBe('');

  await input.fill('by the button');
  await send.click();
  await page.locator('[data-block="text"]', { hasText: 'got by the button' }).waitFor();
  const said = (await api.events(node.id)).flatMap(({ source, body }) =>
    source === 'user' ? [body] : [],
  );
  expect(said).toMatchObject([
    { type: 'message', content: 'first line\nsecond line' },
    { type: 'message', content: 'by the button' },
  ]);
});
