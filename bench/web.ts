import {
  Api,
  type Instance,
  startBrowser,
  startInstance,
  type TestBrowser,
} from '@filepath/testkit';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { NODES } from './tree.ts';
import { firstLoad } from './web/first-load.ts';
import { BLOCKS, longThread } from './web/long-thread.ts';
import { treeChange } from './web/tree.ts';

const Row = z.object({
  what: z.string(),
  value: z.number(),
  unit: z.string(),
  /** Null: it is only reported. */
  bar: z.number().nullable(),
});
type Row = z.infer<typeof Row>;
const Results = z.object({ at: z.string(), rows: z.array(Row) });

const row = (what: string, value: number, unit: string, bar: number | null): Row => ({
  what,
  value,
  unit,
  bar,
});

type Part = (browser: TestBrowser, instance: Instance) => Promise<Row[]>;

const PARTS: Record<string, Part> = {
  load: async (browser, instance) => {
    const { session, node } = await new Api(instance).agent(['true']);
    const url = `${instance.url}/session/${session.id}?node=${node.id}`;
    const load = await firstLoad(browser, instance, url);
    return [
      row('first-load JavaScript, gzipped, dashboard', load.dashboard, 'kB', 170),
      row('first-load JavaScript, gzipped, session', load.session, 'kB', 170),
      row('dashboard can be used, p50', load.interactive, 'ms', 1000),
    ];
  },
  thread: async (browser, instance) => {
    const thread = await longThread(browser, instance);
    return [
      row(`thread of ${BLOCKS} blocks opened, p50`, thread.opened, 'ms', 1000),
      row('… sent to the page until then', thread.wire, 'KiB', 1024),
      row('… script in a frame while scrolling, p50', thread.scroll.p50, 'ms', null),
      row('… script in a frame while scrolling, p95', thread.scroll.p95, 'ms', 8),
      row('… heap after that', thread.heap, 'MiB', 64),
      row('… nodes of the document after that', thread.nodes, '', 20_000),
    ];
  },
  tree: async (browser, instance) => {
    const tree = await treeChange(browser, instance);
    return [
      row(`status change → frame, one of ${NODES} nodes, p50`, tree.p50, 'ms', 50),
      row(`status change → frame, one of ${NODES} nodes, p95`, tree.p95, 'ms', null),
    ];
  },
};

/** All of it, or the parts that are named. */
async function measure(names: readonly string[]): Promise<Row[]> {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const rows: Row[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`measuring: ${name}`);
    rows.push(...(await part(browser, instance)));
  }
  return rows;
}

const file = fileURLToPath(new URL('web-results.json', import.meta.url));
const before = existsSync(file) ? Results.parse(JSON.parse(readFileSync(file, 'utf8'))).rows : [];
const rows = await measure(process.argv.slice(2));
const met = ({ value, bar }: Row): boolean => bar === null || value <= bar;
const shown = (value: number, unit: string): string =>
  `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`.trim();

console.table(
  rows.map((one) => {
    const last = before.find(({ what }) => what === one.what);
    return {
      what: one.what,
      now: shown(one.value, one.unit),
      before: last === undefined ? '' : shown(last.value, last.unit),
      bar: one.bar === null ? 'none' : `≤ ${one.bar} ${one.unit}`.trim(),
      result: met(one) ? 'ok' : 'MISSED',
    };
  }),
);
const others = before.filter(({ what }) => !rows.some((one) => one.what === what));
writeFileSync(
  file,
  `${JSON.stringify({ at: new Date().toISOString(), rows: [...others, ...rows] }, null, 2)}\n`,
);
process.exitCode = rows.every(met) ? 0 : 1;
