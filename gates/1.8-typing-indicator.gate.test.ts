import { expect, it } from 'vitest';
import { threadPage } from './thread-page.ts';

it('three dots bounce one after another while an agent works, and are gone when it has ended', async () => {
  await using opened = await threadPage('go', [{ type: 'status', state: 'running' }], {
    last: `read -r more; echo '{"type":"done"}'; read -r rest`,
  });
  const { page } = opened;
  const typing = page.getByTestId('typing');
  await typing.waitFor();
  const dots = typing.locator('i');
  expect(await dots.count()).toBe(3);
  const moves = await dots.evaluateAll((all) =>
    all.map((dot) => {
      const [animation] = dot.getAnimations();
      return { state: animation?.playState, delay: animation?.effect?.getTiming().delay };
    }),
  );
  expect(moves).toEqual([
    { state: 'running', delay: 0 },
    { state: 'running', delay: 140 },
    { state: 'running', delay: 280 },
  ]);
  for (const dot of await dots.all()) {
    expect(await dot.isVisible()).toBe(true);
    expect((await dot.boundingBox())?.width).toBeGreaterThan(4);
  }
  await page.getByTestId('message-input').fill('that is all');
  await page.getByTestId('message-input').press('Enter');
  await typing.waitFor({ state: 'detached' });
});
