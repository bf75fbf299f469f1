import { Api, follow, isType, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

const HOSTILE =
  '<img src=https://evil.test/x onerror=document.title=1><script>document.title=1</script>[a](javascript:document.title=1)![b](https://evil.test/y)';

/** The same hostile text in every place that a page shows. */
const EVENTS = [
  { type: 'text', content: HOSTILE },
  { type: 'tool', name: HOSTILE, path: HOSTILE, status: 'done', output: HOSTILE, diff: HOSTILE },
  { type: 'command', cmd: HOSTILE, status: 'error', exit: 1, stdout: HOSTILE, stderr: HOSTILE },
  { type: 'commit', hash: HOSTILE, message: HOSTILE },
  { type: 'workers', workers: [{ name: HOSTILE, status: 'done' }] },
  { type: 'status', state: 'running', reason: HOSTILE },
  { type: 'plan', steps: [{ title: HOSTILE }] },
  { type: 'decision', id: 'd', prompt: HOSTILE, options: [HOSTILE] },
  { type: 'memory', content: HOSTILE },
  { type: 'log', message: HOSTILE },
  { type: HOSTILE },
  { type: 'handoff', summary: HOSTILE },
  { type: 'done', summary: HOSTILE },
];

it('[SEC9] what an agent says is text: nothing of it runs, and nothing is loaded from elsewhere', async () => {
  await using instance = await startInstance();
  // It fails on a request to another host, and on an error of the page.
  await using browser = await startBrowser();
  const api = new Api(instance);
  const lines = EVENTS.map((event) => JSON.stringify(event)).join('\n');
  const script = `[ "$FILEPATH_FRESH" = 1 ] || printf '%s\\n' "$1"`;
  const { session, node } = await api.agent(['sh', '-c', script, 'sh', lines], {
    name: HOSTILE.slice(0, 120),
  });
  const feed = follow(instance, node.id);
  await api.message(node.id, HOSTILE);
  await feed.until(
    // The end of the process that its work was handed off to.
    (event) => isType('exit')(event) && Reflect.get(Object(event.body), 'epoch') === 2,
  );
  feed.close();

  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.locator('[data-block="done"]').waitFor();
  for (const block of await page.locator('[data-block] summary').all()) await block.click();
  await expect.poll(() => page.locator('[data-block]').count()).toBeGreaterThan(EVENTS.length);
  expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
  expect(await page.title()).not.toBe('1');
});
