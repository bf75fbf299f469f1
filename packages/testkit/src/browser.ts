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

/** What Chromium writes to the console when a page goes against its own policy. */
const POLICY = /content security policy|trustedhtml|trustedscript/i;
/** How long a page is waited for, however loaded the machine is. A test that is about time says so itself. */
const PATIENCE_MS = 90_000;
/** The names of this machine. */
const HERE: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

export type TestBrowser = {
  /** A browser of its own to the site: no cookie, no storage. */
  visitor(options?: { dark?: boolean; width?: number; touch?: boolean }): Promise<Page>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Chromium, from CHROME_PATH or where Debian puts it. A page error, a breach of the page's policy, or a request to elsewhere fails the test. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: process.env['CHROME_PATH'] ?? '/usr/bin/chromium',
    args: FLAGS,
    timeout: PATIENCE_MS,
  });
  const faults: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    visitor: async ({ dark = false, width = 1280, touch = false } = {}) => {
      const context = await browser.newContext({
        colorScheme: dark ? 'dark' : 'light',
        viewport: { width, height: 860 },
        hasTouch: touch,
        isMobile: touch,
      });
      context.setDefaultTimeout(PATIENCE_MS);
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (POLICY.test(message.text())) faults.push(message.text());
      });
      page.on('request', (request) => {
        const { hostname, protocol } = new URL(request.url());
        if (protocol.startsWith('http') && !HERE.has(hostname)) faults.push(request.url());
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
