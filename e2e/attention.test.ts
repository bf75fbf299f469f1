import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** Asks leave for the same thing twice, then fails. */
const AGENT = `read -r task
ask() { printf '{"type":"decision","id":"%s","prompt":"Run make?","options":["allow","deny"],"hash":"h","kind":"permission"}\\n' "$1"; }
ask p1; read -r one; ask p2; read -r two
echo '{"type":"text","content":"answered twice"}'
exit 3`;

it('[ATT2] [UIH15] what waits is answered from any page, and is gone from all of them; a rule answers the next; an agent is started again', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT], { name: 'asker' });
  const [page, other] = [await browser.visitor(), await browser.visitor({ dark: true })];
  for (const viewer of [page, other]) {
    await viewer.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await viewer.getByTestId('attention').click();
    await viewer.getByText('Nothing waits for you.').waitFor();
  }
  await api.message(node.id, 'go');
  for (const viewer of [page, other]) {
    await viewer.locator('[data-attention="permission"]', { hasText: 'Run make?' }).waitFor();
    expect(await viewer.getByTestId('attention-count').innerText()).toBe('1');
  }
  await page.locator('[data-attention] select').selectOption('agent');
  await page.locator('[data-attention] button', { hasText: 'allow' }).click();

  // The rule has answered the second question: the next that waits is the failure.
  for (const viewer of [page, other]) {
    await viewer.locator('[data-attention="failure"]', { hasText: 'exit 3' }).waitFor();
    expect(await viewer.locator('[data-attention="permission"]').count()).toBe(0);
  }
  await other.goto(`${instance.url}/session/${session.id}`);
  await other.getByText('Answered by a rule: allow').waitFor();
  await page.getByLabel('Message to asker').fill('once more');
  await page.getByLabel('Message to asker').press('Enter');
  await other.locator('[data-block]', { hasText: 'once more' }).waitFor();

  await other.getByTestId('agent-actions').click();
  await other.getByTestId('restart-node').click();
  await other.getByTestId('confirm').click();
  await other.getByText('Started again').waitFor();
});

const LONG = `allow reading and writing of everything below the folder ${'a'.repeat(14)}`;
const LONGEST = 'allow and '.repeat(45);
const MANY = Array.from({ length: 33 }, (_, n) => `option ${n + 1}`);

/** Asks for leave with long options, and a question with more options than are shown here. */
const asksAtLength = (): string[] => {
  const leave = { type: 'decision', id: 'p1', prompt: 'Run make?', kind: 'permission' };
  const lines = [
    { ...leave, options: [LONG, 'deny', LONGEST] },
    { type: 'decision', id: 'd1', prompt: 'Which one?', options: MANY },
  ].map((line) => JSON.stringify(line));
  return ['sh', '-c', `read -r task; printf '%s\\n' '${lines.join("' '")}'; cat`];
};

it('[UIH17] what waits says what it is and since when, keeps its answers within it at every width, and offers only what can be taken', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(asksAtLength(), { name: 'asker' });
  await api.message(node.id, 'go');
  for (const width of [1440, 390]) {
    const page = await browser.visitor({ width });
    await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await page.getByTestId('attention').click();
    const leave = page.locator('[data-attention="permission"]', { hasText: 'Run make?' });
    const which = page.locator('[data-attention="decision"]', { hasText: 'Which one?' });
    await leave.waitFor();
    await which.waitFor();
    expect(await leave.locator('.kind').innerText()).toBe('permission');
    expect(await which.locator('.kind').innerText()).toBe('decision');
    expect(await leave.locator('time').innerText()).toMatch(/just now|ago/);
    expect(await leave.locator('option').allInnerTexts()).toEqual([
      'this time',
      'this agent',
      'this session',
    ]);
    // A text that is higher than its button stands over what comes after it.
    for (const button of await leave.locator('.choices button').all()) {
      const over = await button.evaluate((one) => {
        const text = document.createRange();
        text.selectNodeContents(one);
        const [within, box] = [text.getBoundingClientRect(), one.getBoundingClientRect()];
        const item = one.closest('li')?.getBoundingClientRect();
        return {
          text: within.top < box.top || within.bottom > box.bottom || within.right > box.right,
          button: item === undefined || box.right > item.right || box.bottom > item.bottom,
        };
      });
      expect(over).toEqual({ text: false, button: false });
    }
    expect(await which.locator('button').count()).toBe(0);
    await which.getByRole('link', { name: 'Answer in the thread' }).click();
    await page.waitForURL(`**/session/${session.id}?node=${node.id}`);
    const asked = page.locator('[data-decision="open"]');
    await asked.getByRole('button', { name: 'option 33' }).waitFor();
    expect(await asked.locator('[data-scope]').allInnerTexts()).toEqual([
      'For this agent',
      'For this session',
    ]);
    await page.context().close();
  }
});

it('[UIH15] the bell opens what waits: by keys, beside it, within a phone, and gives the focus back', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['cat'], { name: 'root' });
  for (const width of [1440, 360]) {
    const page = await browser.visitor({ width });
    await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await page.getByTestId('new-session').first().waitFor();
    await page.goto(`${instance.url}/session/${session.id}`);
    const bell = page.getByTestId('attention');
    const popover = page.getByRole('dialog', { name: 'What waits for you' });
    await bell.focus();
    await page.keyboard.press('Enter');
    await popover.getByText('Nothing waits for you.').waitFor();
    await expect.poll(() => popover.evaluate((box) => box === document.activeElement)).toBe(true);
    expect(await bell.getAttribute('aria-expanded')).toBe('true');
    await expect
      .poll(async () => {
        const [under, box] = [await bell.boundingBox(), await popover.boundingBox()];
        return (
          box !== null &&
          box.x >= 0 &&
          box.x + box.width <= width &&
          box.y >= (under?.y ?? 0) + (under?.height ?? 0)
        );
      })
      .toBe(true);
    await page.keyboard.press('Escape');
    await popover.waitFor({ state: 'detached' });
    await expect.poll(() => bell.evaluate((one) => one === document.activeElement)).toBe(true);

    await bell.click();
    await popover.waitFor();
    await bell.click();
    await popover.waitFor({ state: 'detached' });
    await bell.click();
    await popover.waitFor();
    await page.mouse.click(20, 400);
    await popover.waitFor({ state: 'detached' });
    await page.context().close();
  }
});
