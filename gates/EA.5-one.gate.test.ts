import { Liteclaw } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { startClaw } from '../e2e/liteclaw-support.ts';

it('there is exactly one LiteClaw, however it is asked for, and no way to a second', async () => {
  await using claw = await startClaw([]);
  const spawns = Array.from({ length: 8 }, () =>
    claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' }),
  );
  const pages = Promise.all([claw.visit('/assistant'), claw.visit('/chat/new')]);
  const ids = new Set((await Promise.all(spawns)).map(({ id }) => id));
  expect(ids.size).toBe(1);
  const [id] = ids;
  for (const page of await pages) {
    await page.waitForURL(`${claw.instance.url}/chat/${id}`);
    await page.getByTestId('chat-welcome').waitFor();
    expect(await page.getByText('New chat').count()).toBe(0);
  }
  const { id: still } = await claw.api.json(Liteclaw, 'GET', '/api/liteclaw');
  expect(still).toBe(id);
});
