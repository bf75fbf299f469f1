import { Api, scriptAgent, startBrowser, startInstance, startModelServer } from '@filepath/testkit';
import { Node, Session } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';

const KEY = 'key-of-a-provider-0123456789';

it('[LED5] [LED8] [ATT3] shows what an agent used and why it is held up, and lets a person raise its budget', async () => {
  const script = () => ({ text: 'hello', usage: { input: 100, output: 1000 } });
  const server = await startModelServer({ script, keys: [KEY] });
  try {
    await using instance = await startInstance({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: server.url,
    });
    await using browser = await startBrowser();
    const api = new Api(instance);
    const { session, node } = await api.json(
      z.object({ session: Session, node: Node }),
      'POST',
      '/api/session',
      {
        root: {
          agentType: 'custom',
          model: 'anthropic/claude-opus-4.8',
          config: scriptAgent('caller', '1'),
          budget: { tokens: null, usd: 0.001 },
        },
      },
    );
    const page = await browser.visitor();
    await page.goto(instance.signInUrl);
    await page.goto(`${instance.url}/session/${session.id}`);
    await page.locator(`[data-node="${node.id}"]`).first().click();
    await page.getByTestId('message-input').fill('go');
    await page.getByTestId('message-input').press('Enter');
    await page.getByTestId('blocked').filter({ hasText: 'is used up' }).waitFor();
    await page.locator('[data-block="notice"]', { hasText: 'not enough budget is left' }).waitFor();

    await page.getByTestId('used').filter({ hasText: 'of $0.0010' }).click();
    const dialog = page.getByRole('dialog', { name: `Budget of ${node.name}` });
    await dialog.getByLabel('Dollars').fill('much');
    await page.getByTestId('set-budget').click();
    await dialog.getByRole('alert').filter({ hasText: 'a number' }).waitFor();
    await dialog.getByLabel('Dollars').fill('1');
    await page.getByTestId('set-budget').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByTestId('blocked').waitFor({ state: 'detached' });

    await page.getByTestId('message-input').fill('again');
    await page.getByTestId('message-input').press('Enter');
    await page
      .locator('[data-block="calls"]', { hasText: '1.0k out' })
      .or(page.getByTestId('run-line').filter({ hasText: '$0.03' }))
      .first()
      .waitFor();
    await page.getByTestId('used').filter({ hasText: '$0.03 of $1.00' }).waitFor();
    expect(server.calls).toHaveLength(1);

    // It is raised from what waits, too, where both numbers of the budget are shown.
    await api.json(z.unknown(), 'PUT', `/api/session/${session.id}/node/${node.id}/budget`, {
      budget: { tokens: 900_000, usd: 0.001 },
    });
    await page.getByTestId('message-input').fill('once more');
    await page.getByTestId('message-input').press('Enter');
    await page.getByTestId('attention').click();
    const item = page.locator('[data-attention="budget"]');
    await item.getByRole('button', { name: 'raise' }).click();
    await item.getByLabel('Dollars').fill('2');
    expect(await item.getByLabel('Tokens').inputValue()).toBe('900000');
    await page.getByTestId('raise-budget').click();
    await item.waitFor({ state: 'detached' });
    await page.getByTestId('used').filter({ hasText: 'of $2.00' }).waitFor();
    await page.getByTestId('blocked').waitFor({ state: 'detached' });
  } finally {
    await server.close();
  }
});
