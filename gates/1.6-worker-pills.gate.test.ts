import { Node } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startGatePage, STATUSES } from './support/page.ts';

it('renders a pill for each child with the colour of its status; a click selects the child in the tree', async () => {
  await using gate = await startGatePage();
  const { page, row, grown } = gate;
  await row('five').click();
  const pills = page.getByRole('list', { name: 'Workers' });
  for (const status of STATUSES) {
    const pill = pills.getByRole('button', { name: `is-${status}, ${status}`, exact: true });
    await pill.waitFor();
    const color = (dot: Element): string => getComputedStyle(dot).backgroundColor;
    expect(await pill.locator('[data-dot]').evaluate(color)).toBe(
      await row(`is-${status}`).locator('[data-dot]').evaluate(color),
    );
  }
  await pills.getByRole('button', { name: /^is-error/ }).click();
  await page.waitForURL(`**?node=${grown.idOf('is-error')}`);
  await page.locator(`[data-node="${grown.idOf('is-error')}"][aria-selected="true"]`).waitFor();
});

it('a click selects the child that the pill stands for, also among children of one name', async () => {
  await using gate = await startGatePage();
  const { api, page, row, grown } = gate;
  const twin = {
    name: 'twin',
    parentId: grown.idOf('empty'),
    agentType: 'custom',
    config: { command: ['true'] },
  };
  const path = `/api/session/${grown.session.id}/node`;
  const make = () => api.json(z.object({ node: Node }), 'POST', path, twin);
  const ids = [(await make()).node.id, (await make()).node.id];
  for (const [at, id] of ids.entries()) {
    await row('empty').click();
    const pills = page.getByRole('list', { name: 'Workers' }).getByRole('button');
    await pills.nth(1).waitFor();
    await pills.nth(at).click();
    await page.waitForURL(`**?node=${id}`);
  }
});
