import { Node } from '@filepath/protocol';
import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';

const agent = (words: string): string[] => [
  'sh',
  '-c',
  `read -r task; echo '{"type":"status","state":"running","context_pct":0.61}'; echo '{"type":"text","content":"${words}"}'; read -r more`,
];

it('the header shows dot, name, status, type, model and numbers; selecting another node shows its chat and its input', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(agent('words of the first'), { name: 'first' });
  const { node: second } = await api.json(
    z.object({ node: Node }),
    'POST',
    `/api/session/${session.id}/node`,
    {
      parentId: node.id,
      name: 'second',
      agentType: 'custom',
      model: 'test/model-1',
      config: { command: agent('words of the second') },
    },
  );
  await api.message(node.id, 'go');
  await api.message(second.id, 'go');
  const page = await browser.visitor({ width: 1440 });
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}?node=${node.id}`);

  const panel = page.locator('section[aria-label$=": conversation"]');
  const header = panel.locator('header');
  await header.getByRole('heading', { name: 'first' }).waitFor();
  await header.getByTestId('status').filter({ hasText: 'Running' }).waitFor();
  await header.getByText('61% ctx').waitFor();
  expect(await header.locator('.dot.running').count()).toBe(1);
  expect(await header.locator('.tag').allInnerTexts()).toEqual(['custom', 'offline/demo']);
  const coloured = (testid: string): Promise<string> =>
    header.getByTestId(testid).evaluate((element) => getComputedStyle(element).color);
  expect(await coloured('status')).not.toBe(await coloured('used'));
  await page.locator('[data-block="text"]', { hasText: 'words of the first' }).waitFor();

  await page.locator('[data-node]', { hasText: 'second' }).click();
  await header.getByRole('heading', { name: 'second' }).waitFor();
  await page.locator('[data-block="text"]', { hasText: 'words of the second' }).waitFor();
  expect(await page.locator('[data-block]', { hasText: 'words of the first' }).count()).toBe(0);
  expect(await header.locator('.tag').allInnerTexts()).toEqual(['custom', 'test/model-1']);
  expect(await page.getByTestId('message-input').getAttribute('placeholder')).toContain('second');
});
