import {
  Api,
  chance,
  follow,
  isType,
  scriptAgent,
  startBrowser,
  startInstance,
} from '@filepath/testkit';
import { expect, it } from 'vitest';
import { expectWhole, hasNumber, upTo } from './support.ts';

const COUNT = 5000;
const SHOWN_MS = 300_000;

it('an open browser catches up by itself after kills of engine and process', async () => {
  const dice = chance('browser');
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(
    scriptAgent('stream', String(COUNT), '0.05', '50').command,
  );
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.getByTestId('message-input').waitFor();
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(hasNumber(500 + dice.below(500)));
  await instance.killEngine();
  await feed.until(hasNumber(1500 + dice.below(500)));
  await instance.killProcess();
  await instance.start();
  await feed.until(isType('exit'));
  feed.close();
  expectWhole(feed.events, COUNT);

  await page.locator('[data-block="done"]').waitFor({ timeout: SHOWN_MS });
  // Only blocks near those in sight are on the page; with the keys for finding words all of them are, some in each frame.
  await page.keyboard.press('Control+f');
  await page.waitForFunction(
    (count) => document.querySelectorAll('[data-block="text"]').length >= count,
    COUNT,
    { timeout: SHOWN_MS },
  );
  const texts = await page.locator('[data-block="text"]').allTextContents();
  expect(texts.map((text) => Number(/(\d+)\s*$/.exec(text)?.[1]))).toEqual(upTo(COUNT));
});
