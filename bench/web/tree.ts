import { Api, type Instance, type TestBrowser } from '@filepath/testkit';
import { percentile } from '../statistics.ts';
import { grow } from '../tree.ts';
import { ownersPage } from './measure.ts';

const CHANGES = 40;

/** Says again and again that it is in another state. */
const restless = [
  'perl',
  '-MTime::HiRes=sleep',
  '-e',
  `$| = 1; <STDIN>;
   for (1..${CHANGES}) { printf qq({"type":"status","state":"%s"}\\n), $_ % 2 ? "running" : "thinking"; sleep 0.1; }
   print qq({"type":"done"}\\n);`,
];

/** Milliseconds from the frame of the feed with one node's change to the drawn frame that shows it, in a tree of a thousand. */
export async function treeChange(
  browser: TestBrowser,
  instance: Instance,
): Promise<{ p50: number; p95: number }> {
  const api = new Api(instance);
  const { session, node } = await grow(api, restless);
  const page = await ownersPage(browser, instance);
  await page.addInitScript(noteArrivals, node.id);
  await page.goto(`${instance.url}/session/${session.id}?node=${node.id}`);
  await page.locator(`[data-node="${node.id}"]`).waitFor();
  await page.evaluate(watchNode, node.id);
  await api.message(node.id, 'go');
  await page.locator(`[data-node="${node.id}"][data-status="done"]`).waitFor();
  const delays = await page.evaluate(() => Reflect.get(globalThis, 'benchDelays') as number[]);
  await page.context().close();
  return { p50: percentile(delays, 50), p95: percentile(delays, 95) };
}

/** Runs in the page, before the page's own scripts: when the first frame came that is not drawn yet. */
function noteArrivals(id: string): void {
  const Plain = globalThis.WebSocket;
  globalThis.WebSocket = class extends Plain {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }: MessageEvent<string>) => {
        if (!data.includes('"type":"node"') || !data.includes(id)) return;
        if (Reflect.get(globalThis, 'benchAt') === undefined)
          Reflect.set(globalThis, 'benchAt', performance.now());
      });
    }
  };
}

/** Runs in the page. */
function watchNode(id: string): void {
  const delays: number[] = [];
  Reflect.set(globalThis, 'benchDelays', delays);
  new MutationObserver(() => {
    const at = Reflect.get(globalThis, 'benchAt') as number | undefined;
    if (at === undefined) return;
    Reflect.set(globalThis, 'benchAt', undefined);
    requestAnimationFrame(() => setTimeout(() => delays.push(performance.now() - at)));
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['data-status'] });
  document.querySelector(`[data-node="${id}"]`)?.scrollIntoView();
}
