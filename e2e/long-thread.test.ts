import {
  Api,
  follow,
  type Instance,
  isType,
  startBrowser,
  startInstance,
  type TestBrowser,
} from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const LINES = 1500;

/** Says many things of many heights at the first message, a few at each other. */
const talker = [
  'perl',
  '-e',
  String.raw`$| = 1; my $told = 0; while (<STDIN>) {
    my $n = $told++ ? 5 : ${LINES};
    for my $i (1..$n) {
      if ($i % 3 == 0) { print qq({"type":"tool","name":"edit","path":"f$i.ts","status":"done","diff":"@@ -1 +1 @@\\n-a\\n+b $i"}\n); }
      else { print '{"type":"text","content":"said ', $told, '.', $i, ' ', 'and more of it ' x ($i % 40), qq("}\n); }
    }
    print qq({"type":"done"}\n);
  }`,
];

async function longThread(instance: Instance, browser: TestBrowser) {
  const api = new Api(instance);
  const { session, node } = await api.agent(talker, { name: 'talker' });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until((event) => event.source === 'fap' && isType('done')(event));
  feed.close();
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.getByTestId('new-session').first().waitFor();
  const url = `${instance.url}/session/${session.id}?node=${node.id}`;
  return { api, session, node, page, url };
}

const said = (page: Page, words: string) =>
  page.locator('[data-block="text"]', { hasText: `said ${words} ` }).first();

/** The row at the top of the view, how far from the top it is, and how many rows there are on the page. */
const view = (page: Page) =>
  page.getByRole('log').evaluate((log) => {
    const { top } = log.getBoundingClientRect();
    const rows = [...log.querySelectorAll('[data-row]')];
    const row = rows.find((one) => one.getBoundingClientRect().bottom > top);
    const offset = Math.round((row?.getBoundingClientRect().top ?? 0) - top);
    return { row: row?.getAttribute('data-row') ?? '', offset, rows: rows.length };
  });

/** The same row is at the top, where it was: a browser scrolls by whole pixels, and rows have parts of them. */
async function isAt(page: Page, before: Awaited<ReturnType<typeof view>>): Promise<boolean> {
  const { row, offset } = await view(page);
  return row === before.row && Math.abs(offset - before.offset) <= 2;
}

/** Two frames, so that what was asked of the first has been drawn. */
const framesOf = (page: Page): Promise<unknown> =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );

/** As a person does it, with frames between. */
async function scrollUp(page: Page, times: number): Promise<void> {
  await page.getByRole('log').hover();
  for (let n = 0; n < times; n += 1) {
    await page.mouse.wheel(0, -1500);
    await framesOf(page);
  }
}

/** When nothing moves any more: the same row at the same place in several frames. */
async function rested(page: Page): Promise<Awaited<ReturnType<typeof view>>> {
  let last = await view(page);
  let still = 0;
  await expect
    .poll(async () => {
      await framesOf(page);
      const before = last;
      last = await view(page);
      const same =
        before.row === last.row && before.offset === last.offset && before.rows === last.rows;
      still = same ? still + 1 : 0;
      return still;
    })
    .toBeGreaterThanOrEqual(3);
  return last;
}

it('[UIV2] [UIV6] [UIV4] [UIV5] opens at its end, reads earlier blocks on the way, and stays where the reader is', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { api, node, page, url } = await longThread(instance, browser);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const tails = () => asked.filter((path) => path.endsWith('/tail')).length;
  await page.goto(url);
  await said(page, `1.${LINES - 1}`).waitFor();
  expect(tails()).toBe(1);
  expect((await view(page)).rows).toBeLessThan(120);

  // What is earlier is read on the way, and may be late.
  await scrollUp(page, 30);
  await expect
    .poll(async () => {
      await scrollUp(page, 1);
      return Number((await view(page)).row);
    })
    .toBeLessThan(LINES - 200);
  expect(tails()).toBeGreaterThan(1);
  await expect.poll(async () => (await view(page)).rows).toBeLessThan(200);
  const before = await rested(page);
  expect(Number(before.row)).toBeLessThan(LINES - 200);

  await api.message(node.id, 'again');
  await page.getByTestId('latest').filter({ hasText: '6 new' }).waitFor();
  expect(await isAt(page, before)).toBe(true);
  await page.getByTestId('latest').click();
  await said(page, '2.5').waitFor();
  await page.getByTestId('new-line').waitFor();
  await page.getByTestId('latest').waitFor({ state: 'detached' });
  expect(await page.locator('[data-row]:has([data-testid="new-line"])').innerText()).toContain(
    'again',
  );
  await api.message(node.id, 'once more');
  await said(page, '3.5').waitFor();
  await expect
    .poll(() =>
      page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight),
    )
    .toBeLessThan(2);
});

/** Runs in the page: how many rows are put on it in each frame from here on. */
function countRows(log: Element): void {
  let put = 0;
  const frames: number[] = [];
  Reflect.set(globalThis, 'rowsInFrames', frames);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof Element && node.hasAttribute('data-row')) put += 1;
  }).observe(log, { childList: true, subtree: true });
  const frame = (): void => {
    frames.push(put);
    put = 0;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

it('[UIV15] [UIV6] puts few rows on the page in a frame while somebody scrolls, and all in view are there', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { page, url } = await longThread(instance, browser);
  await page.goto(url);
  await said(page, `1.${LINES - 1}`).waitFor();
  await rested(page);
  const log = page.getByRole('log');
  await log.evaluate(countRows);
  // As fast as 1,500 px in a second of 60 frames, however long a frame takes here.
  await log.evaluate(async (element) => {
    for (let frame = 0; frame < 240; frame += 1) {
      element.scrollBy({ top: -25, behavior: 'instant' });
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  await rested(page);
  const frames = await page.evaluate(() => Reflect.get(globalThis, 'rowsInFrames') as number[]);
  expect(frames.reduce((sum, put) => sum + put, 0)).toBeGreaterThan(20);
  expect(Math.max(...frames)).toBeLessThanOrEqual(2);
  const empty = await log.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return [...element.querySelectorAll('[data-chunk]')].filter((group) => {
      const { top: from, bottom: to } = group.getBoundingClientRect();
      return to > top && from < bottom && group.clientHeight > 0 && group.childElementCount === 0;
    }).length;
  });
  expect(empty).toBe(0);
});

it('[UIV9] [UIV10] [UIV12] a block has an address, and the place in a thread is kept', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { api, session, page, url } = await longThread(instance, browser);
  await api.call('POST', `/api/session/${session.id}/node`, {
    agentType: 'custom',
    name: 'other',
    config: { command: ['true'] },
  });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${url}#40`);
  const at = page.locator('[data-row="40"]');
  await at.waitFor();
  await expect.poll(async () => (await rested(page)).row).toMatch(/^(39|40)$/);

  await at.hover();
  await at.getByTestId('block-link').click();
  await at.getByRole('link', { name: 'Link copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${url}#40`);

  await scrollUp(page, 1);
  const before = await rested(page);
  await page.locator('[data-node]', { hasText: 'other' }).click();
  await page.getByTestId('thread-note').filter({ hasText: 'Send a message' }).waitFor();
  await page.locator('[data-node]', { hasText: 'talker' }).click();
  await page.locator(`[data-row="${before.row}"]`).waitFor();
  await expect.poll(() => isAt(page, before)).toBe(true);

  await page.goto('about:blank');
  await page.goto(url);
  await said(page, `1.${LINES - 1}`).waitFor();
  await page.keyboard.press('Control+f');
  await page.getByRole('button', { name: 'Read the whole conversation' }).click();
  await said(page, '1.1').waitFor({ state: 'attached' });
  await page.getByTestId('find-note').waitFor({ state: 'detached' });
});

it('[UIV7] [UIV8] runs end with a line that folds them', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { api, node, page, url } = await longThread(instance, browser);
  await page.goto(url);
  for (const [index, words] of ['two', 'three'].entries()) {
    await api.message(node.id, words);
    await page.locator(`[data-run="${index + 2}"]`).waitFor();
  }
  await said(page, '3.5').waitFor();
  const line = (number: number) => page.locator(`[data-run="${number}"]`);
  await line(3).getByText('run 3 · ').waitFor();
  await line(3).getByText('claimed: done').waitFor();

  await line(3).getByTestId('run-line').click();
  await said(page, '3.5').waitFor({ state: 'detached' });
  await line(3).getByText('folded').waitFor();
  await page.locator('[data-block="message"]', { hasText: 'three' }).waitFor();

  await line(3).hover();
  await line(3).getByTestId('fold-earlier').click();
  await said(page, '2.5').waitFor({ state: 'detached' });
  await line(1)
    .getByText(/15\d\d blocks folded/)
    .waitFor();
  await line(2).getByTestId('run-line').click();
  await said(page, '2.5').waitFor();
  expect(await line(1).getByTestId('run-line').getAttribute('aria-expanded')).toBe('false');
});

it('[UIV11] a thread says that it cannot be read, and goes on when it can', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { page, url } = await longThread(instance, browser);
  await page.route('**/tail*', (route) => route.abort());
  await page.goto(url);
  await page.getByTestId('thread-note').filter({ hasText: 'could not be read' }).waitFor();
  await page.getByRole('button', { name: 'Try again now' }).waitFor();
  await page.unroute('**/tail*');
  await said(page, `1.${LINES - 1}`).waitFor();
  await instance.stop();
  await page
    .locator('[data-testid="connection"][data-state="offline"]')
    .waitFor({ state: 'attached' });
  await instance.start();
  await page
    .locator('[data-testid="connection"][data-state="live"]')
    .waitFor({ state: 'attached' });
});
