import type { Instance, TestBrowser } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { gzipSync } from 'node:zlib';
import { percentile } from '../statistics.ts';
import { opened, ownersPage } from './measure.ts';

export type FirstLoad = {
  /** Kilobytes of JavaScript, gzipped, until the page rests: the dashboard, and a session. */
  readonly dashboard: number;
  readonly session: number;
  /** Milliseconds until the dashboard can be used, the median of some. */
  readonly interactive: number;
};

const TIMES = 5;

export async function firstLoad(
  browser: TestBrowser,
  instance: Instance,
  sessionUrl: string,
): Promise<FirstLoad> {
  const page = await ownersPage(browser, instance);
  const dashboard = await scripts(page, `${instance.url}/`, '[data-testid="new-session"]');
  const session = await scripts(page, sessionUrl, '[data-testid="message-input"]');
  const taken: number[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    taken.push(await opened(page, `${instance.url}/`, '[data-testid="new-session"]'));
  }
  await page.context().close();
  return { dashboard, session, interactive: percentile(taken, 50) };
}

/** Kilobytes, gzipped, that are loaded for an address by a browser that has nothing of it. */
export async function scripts(page: Page, url: string, ready: string): Promise<number> {
  const bodies: Promise<Buffer>[] = [];
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  const take = (response: Awaited<ReturnType<Page['waitForResponse']>>): void => {
    const type = response.headers()['content-type'] ?? '';
    if (type.includes('javascript')) bodies.push(response.body());
  };
  page.on('response', take);
  await page.goto(url);
  await page.waitForSelector(ready);
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  page.off('response', take);
  await devtools.detach();
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}
