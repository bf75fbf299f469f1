import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const DIR = fileURLToPath(new URL('../docs/screens/', import.meta.url));
const WIDTHS = [1440, 820, 390];
const WRITES = process.env['FILEPATH_SCREENS'] === '1';

/**
 * Looks at a step in every width and theme: nothing may stick out to the side. With FILEPATH_SCREENS=1 pictures
 * are written to docs/screens.
 */
export async function seen(page: Page, step: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 720 ? 844 : 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
      // What is laid out by the page itself follows a frame later.
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), {
          message: `${step} at ${width}`,
        })
        .toBeLessThanOrEqual(width);
      if (!WRITES) continue;
      mkdirSync(DIR, { recursive: true });
      await page.screenshot({
        path: `${DIR}${step}-${width}-${colorScheme}.png`,
        animations: 'disabled',
        caret: 'hide',
      });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
}
