import type { Instance, TestBrowser } from '@filepath/testkit';
import type { Page } from 'playwright-core';

/** A page of the owner's, signed in, that has loaded nothing of what is measured. */
export async function ownersPage(browser: TestBrowser, instance: Instance): Promise<Page> {
  const page = await browser.visitor({ width: 1440 });
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.getByTestId('new-session').first().waitFor();
  return page;
}

/** Milliseconds from the start of the navigation until a frame with this on it, and nothing left to do. */
export async function opened(page: Page, url: string, selector: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForSelector(selector);
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      }),
  );
}
