import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type TestBrowser = {
  /** A browser of its own to the site: no cookie, no storage. */
  visitor(options?: { dark?: boolean; width?: number }): Promise<Page>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Chromium, from CHROME_PATH or where Debian puts it. A page error, or a request to elsewhere, fails the test. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: process.env['CHROME_PATH'] ?? '/usr/bin/chromium',
    args: FLAGS,
  });
  const faults: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    visitor: async ({ dark = false, width = 1280 } = {}) => {
      const context = await browser.newContext({
        colorScheme: dark ? 'dark' : 'light',
        viewport: { width, height: 860 },
      });
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('request', (request) => {
        const { hostname, protocol } = new URL(request.url());
        if (protocol.startsWith('http') && hostname !== '127.0.0.1') faults.push(request.url());
      });
      return page;
    },
    [Symbol.asyncDispose]: async () => {
      for (const context of contexts) await context.close();
      await browser.close();
      if (faults.length > 0) throw new Error(`the pages did wrong: ${faults.join('; ')}`);
    },
  };
}
