import { expect, it } from 'vitest';
import { startGatePage, STATUSES } from './support/page.ts';

it('renders all five statuses in their colours, and pulses while thinking or running', async () => {
  await using gate = await startGatePage();
  const { page } = gate;
  const seen: Record<string, { color: string; pulses: boolean; size: string }> = {};
  for (const status of STATUSES) {
    const dot = page.locator(`[role="tree"] [data-status="${status}"] [data-dot]`).first();
    await dot.waitFor();
    seen[status] = await dot.evaluate((element) => {
      const { backgroundColor, width } = getComputedStyle(element);
      return {
        color: backgroundColor,
        pulses: element.getAnimations().some(({ playState }) => playState === 'running'),
        size: width,
      };
    });
  }
  expect(seen).toEqual({
    idle: { color: 'rgb(82, 82, 91)', pulses: false, size: '7px' },
    thinking: { color: 'rgb(245, 158, 11)', pulses: true, size: '7px' },
    running: { color: 'rgb(129, 140, 248)', pulses: true, size: '7px' },
    done: { color: 'rgb(34, 197, 94)', pulses: false, size: '7px' },
    error: { color: 'rgb(239, 68, 68)', pulses: false, size: '7px' },
  });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const running = page.locator('[role="tree"] [data-dot="running"]').first();
  expect(await running.evaluate((element) => element.getAnimations().length)).toBe(0);
});
