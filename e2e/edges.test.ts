import {
  Api,
  type Instance,
  makeRepo,
  startBrowser,
  startInstance,
  tempDir,
  type TestBrowser,
} from '@filepath/testkit';
import { Node } from '@filepath/protocol';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

let instance: Instance;
let browser: TestBrowser;
let api: Api;
beforeAll(async () => {
  instance = await startInstance();
  browser = await startBrowser();
  api = new Api(instance);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await instance[Symbol.asyncDispose]();
});

async function at(path: string, look: { width?: number; touch?: boolean } = {}): Promise<Page> {
  const page = await browser.visitor(look);
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.getByTestId('new-session').first().waitFor();
  await page.goto(`${instance.url}${path}`);
  return page;
}

/** The agent prints these events once it is spoken to. */
const says = (events: readonly object[]): string[] => {
  const lines = events.map((event) => JSON.stringify(event)).join('\n');
  return ['sh', '-c', `read -r task\nprintf '%s\\n' "$1"\nread -r _`, 'sh', lines];
};

it('[UIS6] a dialog that came with the address is left with it, and can be asked for again', async () => {
  const page = await at('/?new');
  await page.getByRole('dialog').getByTestId('create-session').click();
  await page.waitForURL('**/session/ses_*?spawn');
  await page.getByTestId('spawn-confirm').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => url.search === '');
  await page.reload();
  await page.getByRole('button', { name: 'Spawn an agent' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);

  await page.goto(`${instance.url}/?new`);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => url.search === '');
});

it('[UIH11] an address that leads nowhere says so, and is loaded once', async () => {
  const page = await at('/settings');
  const loads: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads.push(request.url());
  });
  await page.goto(`${instance.url}/nothing/here`);
  await page.getByTestId('error-page').waitFor();
  expect(loads).toEqual([`${instance.url}/nothing/here`]);
});

it('[UIH11] an agent that is deleted while it is looked at is said to be gone', async () => {
  const { session, node } = await api.agent(['cat'], { name: 'top' });
  const Made = z.object({ node: Node });
  const child = {
    parentId: node.id,
    name: 'doomed',
    agentType: 'custom',
    config: { command: ['cat'] },
  };
  const made = await api.json(Made, 'POST', `/api/session/${session.id}/node`, child);
  const page = await at(`/session/${session.id}?node=${made.node.id}`);
  await page.getByRole('heading', { name: 'doomed' }).waitFor();
  expect(await page.getByTestId('missing-agent').count()).toBe(0);
  await api.call('DELETE', `/api/session/${session.id}/node/${made.node.id}`);
  await page.getByTestId('missing-agent').filter({ hasText: 'This is top.' }).waitFor();
  await page.locator('[data-node]', { hasText: 'top' }).click();
  await page.getByTestId('missing-agent').waitFor({ state: 'detached' });
});

it('[UIH5] the button of the drawer is there exactly where the drawer is', async () => {
  const { session } = await api.agent(['cat'], { name: 'root' });
  const page = await at(`/session/${session.id}`, { width: 720 });
  await page.getByTestId('agents-menu').click();
  await page.getByTestId('tree-drawer').getByText('root').waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 721, height: 800 });
  await page.getByTestId('tree-pane').waitFor();
  expect(await page.getByTestId('agents-menu').isVisible()).toBe(false);
});

it('[UIT7] the search field stays within the tree', async () => {
  const { session } = await api.agent(['cat'], { name: 'root' });
  const page = await at(`/session/${session.id}`);
  await page.getByTestId('tree-find').click();
  const clear = await page.getByRole('button', { name: 'Show all agents' }).boundingBox();
  const pane = await page.getByTestId('tree-pane').boundingBox();
  expect((clear?.x ?? 0) + (clear?.width ?? 0)).toBeLessThan((pane?.x ?? 0) + (pane?.width ?? 0));
});

it('[UIB4] on a phone words of a table stay whole, and the name of a file is seen', async () => {
  const table =
    '| name | what it does | cost |\n|---|---|--:|\n| verification | checks the signature of a token with the key it names | 1.20 |';
  const path = `${'folder/'.repeat(20)}the-name-of-it.ts`;
  const { session, node } = await api.agent(
    says([
      { type: 'text', content: table },
      { type: 'tool', name: 'read', path, status: 'done' },
    ]),
  );
  await api.message(node.id, 'go');
  const page = await at(`/session/${session.id}`, { width: 360 });
  for (const word of ['verification', '1.20']) {
    const cell = page.getByRole('cell', { name: word, exact: true });
    await cell.waitFor();
    expect(
      await cell.evaluate((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getClientRects().length;
      }),
      word,
    ).toBe(1);
  }
  const line = page.locator('[data-block="tool"] bdi');
  await line.filter({ hasText: 'the-name-of-it.ts' }).waitFor();
  // The beginning is cut, and the name is within what is shown.
  const shown = await line.evaluate((one) => {
    const range = document.createRange();
    const text = one.firstChild as Text;
    range.setStart(text, text.length - 'the-name-of-it.ts'.length);
    range.setEnd(text, text.length);
    const [name, box] = [range.getBoundingClientRect(), one.parentElement?.getBoundingClientRect()];
    return { name: [name.left, name.right], box: [box?.left ?? 0, box?.right ?? 0] };
  });
  expect(shown.name[0]).toBeGreaterThanOrEqual(shown.box[0] ?? Infinity);
  expect(shown.name[1]).toBeLessThanOrEqual((shown.box[1] ?? 0) + 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

it('[UIS5] on a phone the dashboard begins with its heading and the button beside it; the ring of the focus is around that', async () => {
  const page = await at('/', { width: 360 });
  const button = page.getByTestId('new-session').first();
  const [heading, beside, pages] = await Promise.all([
    page.getByRole('heading', { level: 1 }).boundingBox(),
    button.boundingBox(),
    page.getByRole('navigation', { name: 'Pages' }).boundingBox(),
  ]);
  expect(beside?.y ?? Infinity).toBeLessThan((heading?.y ?? 0) + (heading?.height ?? 0));
  expect(pages?.height).toBe(beside?.height);
  expect(pages?.y ?? 0).toBeGreaterThan(beside?.y ?? Infinity);
  await button.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  expect(await button.evaluate((one) => getComputedStyle(one).outlineOffset)).toBe('2px');
});

it('[UII8] on a phone the header has the whole name of an agent that waits', async () => {
  const asks = { type: 'decision', id: 'd1', prompt: 'Shall it?', options: ['yes'], hash: 'h1' };
  const { session, node } = await api.agent(says([asks]), { name: 'rate-limit' });
  await api.message(node.id, 'go');
  const page = await at(`/session/${session.id}`, { width: 360 });
  await page.getByText('waiting for a person').waitFor();
  const cut = await page.getByRole('heading', { level: 1, name: 'rate-limit' }).evaluate((one) => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return text.getBoundingClientRect().width - one.getBoundingClientRect().width;
  });
  expect(cut).toBeLessThanOrEqual(0);
});

it('[UIT1] a finger opens and closes a branch beside its mark', async () => {
  const { session, node } = await api.agent(['cat'], { name: 'top' });
  await api.json(z.unknown(), 'POST', `/api/session/${session.id}/node`, {
    parentId: node.id,
    name: 'low',
    agentType: 'custom',
    config: { command: ['cat'] },
  });
  const page = await at(`/session/${session.id}`, { width: 390, touch: true });
  await page.getByTestId('agents-menu').tap();
  const drawer = page.getByTestId('tree-drawer');
  const mark = await drawer.locator('[data-chevron]').first().boundingBox();
  await drawer.getByText('low').waitFor();
  await page.touchscreen.tap((mark?.x ?? 0) + (mark?.width ?? 0) + 5, (mark?.y ?? 0) + 14);
  await drawer.getByText('low').waitFor({ state: 'detached' });
  expect(await drawer.isVisible()).toBe(true);
});

it('[UIV8] a finger folds the runs before one', async () => {
  const answer = JSON.stringify({ type: 'text', content: 'Nothing to do.' });
  const done = JSON.stringify({ type: 'done' });
  const loop = `while read -r line; do printf '%s\\n' "$1" "$2"; done`;
  const { session, node } = await api.agent(['sh', '-c', loop, 'sh', answer, done]);
  const page = await at(`/session/${session.id}`, { width: 390, touch: true });
  const line = (number: number) => page.locator(`[data-run="${number}"]`);
  for (const number of [1, 2]) {
    await api.message(node.id, `message ${number}`);
    await line(number).getByText('claimed: done').waitFor();
  }
  await line(2).getByTestId('fold-earlier').tap();
  await line(1).getByText('folded').waitFor();
  expect(await line(2).getByTestId('run-line').getAttribute('aria-expanded')).toBe('true');
});

it('[UIH11] a menu that cannot be loaded says so', async () => {
  const { session } = await api.agent(['cat'], { name: 'quiet' });
  const page = await at('/');
  await page.context().route(/\.js$/, async (route) => {
    const response = await route.fetch();
    const menu = (await response.text()).includes('restart-node');
    await (menu ? route.abort() : route.fulfill({ response }));
  });
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.getByTestId('agent-actions').click();
  await page.getByText('The menu could not be loaded.').waitFor();
});

it('[UIC7] changes that cannot be read are said to be so, and nothing else', async () => {
  const { session, node } = await api.agent(says([{ type: 'done' }]));
  await api.message(node.id, 'go');
  const page = await at(`/session/${session.id}?node=${node.id}&view=changes`);
  const problem = page.getByTestId('changes').getByRole('alert');
  await problem.getByText('there is no repository in it').waitFor();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await page.context().route(/\/changes/, async (route) => {
    asked.resolve();
    await answer.promise;
    await route.continue();
  });
  await problem.getByRole('button', { name: 'Try again' }).click();
  await asked.promise;
  expect(await page.getByText('Reading the workspace').count()).toBe(0);
  answer.resolve();
  await problem.getByText('there is no repository in it').waitFor();
});

it('[UIT1] the dot of a status keeps its color where the system gives all others', async () => {
  const { session } = await api.agent(['cat'], { name: 'root' });
  const page = await at(`/session/${session.id}`);
  const color = (): Promise<string> =>
    page
      .locator('[data-node] [data-dot]')
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundColor);
  const before = await color();
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await color()).toBe(before);
});

it('[UIC6] where nothing has changed there is nothing to merge or push', async () => {
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const { session, node } = await api.agent(says([{ type: 'done' }]), { gitRepoUrl: repo.path });
  await api.message(node.id, 'go');
  const page = await at(`/session/${session.id}?node=${node.id}&view=changes`);
  await page.getByText('Nothing has changed since').waitFor();
  for (const id of ['merge', 'push']) expect(await page.getByTestId(id).isDisabled()).toBe(true);
});
