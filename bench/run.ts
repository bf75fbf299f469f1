import {
  BASE_IMAGE,
  hasPodman,
  startContainerEngine,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bareRelay } from './bare-relay.ts';
import { chats } from './chat.ts';
import { gateway } from './gateway.ts';
import { ourRelay } from './our-relay.ts';
import { atMost, chatRows, gatewayRows, type Row, startRows, treeRows } from './rows.ts';
import { agentProgram, starts } from './spawn.ts';
import { tree } from './tree.ts';
import { warmStarts } from './warm-start.ts';
import { workspaces } from './workspaces.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SINGLES = 300;
const GAP_MS = 10;
const EVENTS = 60_000;
const STARTS = 30;

const PARTS: Record<string, () => Promise<Row[]>> = {
  relay: async () => {
    using home = tempDir('filepath-bench');
    await using instance = await startInstance();
    const bare = await bareRelay(home.path, SINGLES, GAP_MS, EVENTS);
    const ours = await ourRelay(instance, SINGLES, GAP_MS, EVENTS);
    return [
      atMost('agent line → stored → client, p50', ours.p50, bare.p50, 3),
      {
        what: 'batched throughput',
        ours: `${Math.round(ours.perSecond)}/s`,
        baseline: `${Math.round(bare.perSecond)}/s`,
        ratio: ours.perSecond / bare.perSecond,
        bar: '≥ 0.5×',
        ok: ours.perSecond >= 0.5 * bare.perSecond,
      },
    ];
  },
  starts: async () => {
    const engine = hasPodman() ? await startContainerEngine(['sh', agentProgram()]) : null;
    await using engines = new AsyncDisposableStack();
    engines.defer(async () => engine?.stop());
    const where = engine === null ? {} : { FILEPATH_CONTAINER_SOCKET: engine.socket };
    await using instance = await startInstance(where);
    return startRows(await starts(instance, STARTS, engine === null ? null : BASE_IMAGE));
  },
  workspaces: async () => {
    await using instance = await startInstance();
    const { first, second } = await workspaces(instance);
    return [atMost('second workspace on 10,000 commits, 50 MB', second, first, 0.1)];
  },
  tree: async () => {
    await using instance = await startInstance();
    return treeRows(await tree(instance));
  },
  up: async () => {
    const warm = atMost('npm start → first page, warm', await warmStarts(ROOT, 3), 2000, 1);
    return [{ ...warm, baseline: '2000 ms', bar: '≤ 2 s' }];
  },
  gateway: async () => (await gateway()).flatMap(gatewayRows),
  chat: async () => chatRows(await chats((what) => console.log(`measuring: ${what}`))),
};

/** All of it, which takes some minutes, or the parts that are named. */
async function measure(names: readonly string[]): Promise<Row[]> {
  const unknown = names.find((name) => !(name in PARTS));
  if (unknown !== undefined)
    throw new Error(
      `There is no part "${unknown}"; the parts are ${Object.keys(PARTS).join(', ')}.`,
    );
  const rows: Row[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`measuring: ${name}`);
    rows.push(...(await part()));
  }
  return rows;
}

const Results = z.object({ rows: z.array(z.looseObject({ what: z.string() })) });
const file = fileURLToPath(new URL('results.json', import.meta.url));
const before = existsSync(file) ? Results.parse(JSON.parse(readFileSync(file, 'utf8'))).rows : [];
const rows = await measure(process.argv.slice(2));
console.table(
  rows.map(({ ratio, ok, ...row }) => ({
    ...row,
    ratio: `${ratio.toFixed(2)}×`,
    result: ok ? 'ok' : 'MISSED',
  })),
);
const others = before.filter(({ what }) => !rows.some((one) => one.what === what));
const all = { at: new Date().toISOString(), rows: [...others, ...rows] };
writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
process.exitCode = rows.every((row) => row.ok) ? 0 : 1;
