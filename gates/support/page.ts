import { Api, type Grown, growTree, startBrowser, startInstance } from '@filepath/testkit';
import type { Locator, Page } from 'playwright-core';

export const STATUSES = ['idle', 'thinking', 'running', 'done', 'error'] as const;

const says = {
  idle: undefined,
  thinking: [{ type: 'status', state: 'thinking' }],
  running: [{ type: 'status', state: 'running' }],
  done: [{ type: 'done' }],
  error: [{ type: 'status', state: 'error', reason: 'it failed' }],
};

export type GatePage = {
  readonly api: Api;
  readonly page: Page;
  readonly grown: Grown;
  readonly row: (name: string) => Locator;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A session in Chromium: root > five > an agent of each status, beside an empty one. */
export async function startGatePage(): Promise<GatePage> {
  const instance = await startInstance();
  const browser = await startBrowser();
  const children = STATUSES.map((status) => {
    const lines = says[status];
    return { name: `is-${status}`, ...(lines && { says: lines }) };
  });
  const api = new Api(instance);
  const grown = await growTree(api, {
    name: 'root',
    children: [{ name: 'five', children }, { name: 'empty' }],
  });
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${grown.session.id}?node=${grown.idOf('root')}`);
  const row = (name: string): Locator => page.locator(`[data-node="${grown.idOf(name)}"]`);
  for (const status of STATUSES) {
    await page
      .locator(`[data-node="${grown.idOf(`is-${status}`)}"][data-status="${status}"]`)
      .waitFor();
  }
  return {
    api,
    page,
    grown,
    row,
    [Symbol.asyncDispose]: async () => {
      await browser[Symbol.asyncDispose]();
      await instance[Symbol.asyncDispose]();
    },
  };
}
