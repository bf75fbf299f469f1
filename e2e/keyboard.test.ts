import { Api, follow, isType, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const WIDTH = 360;
const HEIGHT = 740;
/** What a keyboard of letters with its suggestions leaves of such a phone. */
const LEFT = 400;

const LAST = 'the last of what was said';
const TALKER = [
  'sh',
  '-c',
  `read -r _; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '{"type":"text","content":"line %s of a longer answer that takes more than a line on a phone"}\\n' $n; done; printf '{"type":"text","content":"${LAST}"}\\n{"type":"done"}\\n'; read -r _`,
];

/** Input and last message are within this height, and nothing sticks out to the side. */
async function inView(page: Page, height: number): Promise<void> {
  for (const part of [
    page.getByTestId('message-input'),
    page.locator('[data-block="text"]', { hasText: LAST }),
  ]) {
    await expect
      .poll(async () => {
        const box = await part.boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height <= height;
      })
      .toBe(true);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    WIDTH,
  );
}

it('[UIH16] with the on-screen keyboard of a phone the input and the last message stay in view', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(TALKER, { name: 'talker' });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until((event) => event.source === 'fap' && isType('done')(event));
  feed.close();
  const page = await browser.visitor({ width: WIDTH, touch: true });
  const devtools = await page.context().newCDPSession(page);
  const size = (height: number) =>
    devtools.send('Emulation.setDeviceMetricsOverride', {
      width: WIDTH,
      height,
      deviceScaleFactor: 2,
      mobile: true,
    });
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.getByTestId('new-session').first().waitFor();

  // A browser that makes the page smaller.
  await size(HEIGHT);
  await page.goto(`${instance.url}/session/${session.id}?node=${node.id}`);
  await inView(page, HEIGHT);
  await page.getByTestId('message-input').tap();
  await size(LEFT);
  await inView(page, LEFT);
  await page.getByTestId('message-input').fill('one\ntwo\nthree\nfour');
  await inView(page, LEFT);
  await size(HEIGHT);
  await inView(page, HEIGHT);

  // A browser that lays the keyboard over the page. Chromium does not: what it tells the page of its keyboard is told in its place.
  await page.addInitScript(() => {
    const view = Object.assign(new EventTarget(), { height: innerHeight, scale: 1, offsetTop: 0 });
    Object.defineProperty(globalThis, 'visualViewport', { value: view });
  });
  const tell = (height: number) =>
    page.evaluate((left) => {
      const view = globalThis.visualViewport;
      if (!view) throw new Error('there is no visual viewport');
      Reflect.set(view, 'height', left);
      view.dispatchEvent(new Event('resize'));
    }, height);
  await page.reload();
  await page.getByTestId('message-input').tap();
  await tell(HEIGHT);
  await inView(page, HEIGHT);
  await tell(LEFT);
  await inView(page, LEFT);
  await tell(HEIGHT);
  const input = await page.getByTestId('message-input').boundingBox();
  expect(input?.y ?? 0).toBeGreaterThan(LEFT);
});
