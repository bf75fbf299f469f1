import {
  Api,
  type Instance,
  type ModelServer,
  type ModelServerOptions,
  startBrowser,
  startInstance,
  startModelServer,
  type TestBrowser,
} from '@filepath/testkit';
import type { Page } from 'playwright-core';

const KEY = 'key-of-a-provider-0123456789';
export const LONG = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');

export type ClawPage = {
  readonly instance: Instance;
  readonly server: ModelServer;
  readonly browser: TestBrowser;
  readonly api: Api;
  /** A page of its own, signed in. */
  readonly visit: (path: string, options?: Parameters<TestBrowser['visitor']>[0]) => Promise<Page>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** An instance whose LiteClaw asks a scripted model, and Chromium. */
export async function startClaw(
  script: ModelServerOptions['script'],
  env: Record<string, string> = {},
): Promise<ClawPage> {
  const server = await startModelServer({ script, keys: [KEY] });
  const instance = await startInstance({
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: server.url,
    LITECLAW_MODEL: 'anthropic/claude-haiku-4.5',
    ...env,
  });
  const browser = await startBrowser();
  return {
    instance,
    server,
    browser,
    api: new Api(instance),
    visit: async (path, options) => {
      const page = await browser.visitor(options);
      await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
      await page.goto(`${instance.url}${path}`);
      return page;
    },
    [Symbol.asyncDispose]: async () => {
      await browser[Symbol.asyncDispose]();
      await instance[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

export const input = (page: Page) => page.getByTestId('chat-input');
export const rows = (page: Page) => page.locator('[data-message]');
export const answers = (page: Page) => page.locator('[data-message][data-role="assistant"]');

export async function say(page: Page, text: string): Promise<void> {
  await input(page).fill(text);
  await input(page).press('Enter');
}

/** Nothing is on its way. */
export const ready = (page: Page): Promise<void> =>
  page.getByTestId('chat-spoken').getByText('LiteClaw is ready.').waitFor({ state: 'attached' });
