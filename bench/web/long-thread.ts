import { Api, follow, type Instance, isType, type TestBrowser } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { percentile } from '../statistics.ts';
import { opened, ownersPage } from './measure.ts';
import { scriptPerFrame } from './trace.ts';

export const BLOCKS = 10_000;
const SCROLL_PX = 40_000;
const PX_PER_SECOND = 4000;

/** Texts with code in them, edits, commands with output: one block a line, as a long day of work leaves them. */
const agent = [
  'perl',
  '-e',
  String.raw`$| = 0; <STDIN>;
   for my $n (1..${BLOCKS}) {
     my $kind = $n % 4;
     if ($kind == 0) { print qq({"type":"tool","name":"edit","path":"src/file-$n.ts","status":"done","diff":"@@ -1,3 +1,3 @@\\n const a = 1;\\n-const b = $n;\\n+const b = $n + 1;\\n const c = 3;"}\n); }
     elsif ($kind == 1) { my $out = join("\\n", map { "line $_ of the output of $n" } 1..12); print qq({"type":"command","cmd":"npm test -- --shard $n","status":"done","exit":0,"stdout":"$out"}\n); }
     else { print qq({"type":"text","content":"Step $n: the check is in ${'`'}verify()${'`'} of ${'`'}src/file-$n.ts${'`'}, and it runs **before** the lookup.\\n\\n- first the signature\\n- then the time, which is cheap\\n\\nBoth are covered by a test."}\n); }
   }
   print qq({"type":"text","content":"the last of them"}\n{"type":"done"}\n); $| = 1;`,
];

export type LongThread = {
  /** Milliseconds until its end is on the page. */
  readonly opened: number;
  /** KiB that came before that. */
  readonly wire: number;
  /** Milliseconds of script in a frame while a person scrolls up. */
  readonly scroll: { readonly p50: number; readonly p95: number };
  /** MiB of the page's heap, and nodes of its document, after that. */
  readonly heap: number;
  readonly nodes: number;
};

/** The address of a session whose one agent has said so much. */
async function makeLongThread(instance: Instance): Promise<string> {
  const api = new Api(instance);
  const { session, node } = await api.agent(agent, { name: 'talker' });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until((event) => event.source === 'fap' && isType('done')(event));
  feed.close();
  return `${instance.url}/session/${session.id}?node=${node.id}`;
}

export async function longThread(browser: TestBrowser, instance: Instance): Promise<LongThread> {
  const url = await makeLongThread(instance);
  const page = await ownersPage(browser, instance);
  const last = '[data-block="text"]:has-text("the last of them")';
  await opened(page, url, last);
  const taken: number[] = [];
  let wire = 0;
  for (let n = 0; n < 3; n += 1) {
    const counter = await received(page);
    taken.push(await opened(page, url, last));
    wire = await counter();
  }
  const frames = await scrolledUp(page);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('Performance.enable');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? 0;
  await page.context().close();
  return {
    opened: percentile(taken, 50),
    wire,
    scroll: { p50: percentile(frames, 50), p95: percentile(frames, 95) },
    heap: metric('JSHeapUsedSize') / 1024 / 1024,
    nodes: metric('Nodes'),
  };
}

/** Counts what the API says from here on, over HTTP and sockets. */
async function received(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  let bytes = 0;
  const api = new Set<string>();
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (new URL(response.url).pathname.startsWith('/api/')) api.add(requestId);
  });
  devtools.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (api.has(requestId)) bytes += dataLength;
  });
  devtools.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length;
  });
  return async () => {
    await devtools.detach();
    return bytes / 1024;
  };
}

/** As with a wheel, at the speed of somebody who looks for something. */
async function scrolledUp(page: Page): Promise<number[]> {
  const devtools = await page.context().newCDPSession(page);
  const box = await page.getByRole('log').boundingBox();
  if (box === null) throw new Error('the conversation is not on the page');
  return scriptPerFrame(page, () =>
    devtools.send('Input.synthesizeScrollGesture', {
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      yDistance: SCROLL_PX,
      speed: PX_PER_SECOND,
      preventFling: true,
      gestureSourceType: 'mouse',
    }),
  );
}
