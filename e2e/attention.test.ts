import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** Asks leave for the same thing twice, then fails. */
const AGENT = `read -r task
ask() { printf '{"type":"decision","id":"%s","prompt":"Run make?","options":["allow","deny"],"hash":"h","kind":"permission"}\\n' "$1"; }
ask p1; read -r one; ask p2; read -r two
echo '{"type":"text","content":"answered twice"}'
exit 3`;

it('[ATT2] what waits is answered from any page, and is gone from all of them; a rule answers the next; an agent is started again', async () => {
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
  await page.locator('[data-attention] button', { hasText: 'message' }).click();
  await other.locator('[data-block]', { hasText: 'once more' }).waitFor();

  await other.getByTestId('agent-actions').click();
  await other.getByTestId('restart-node').click();
  await other.getByTestId('confirm').click();
  await other.getByText('Started again').waitFor();
});
