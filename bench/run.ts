import {
  BASE_IMAGE,
  hasPodman,
  startContainerEngine,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bareRelay } from './bare-relay.ts';
import { type ChatFigures, CHATS, chats, MESSAGES } from './chat.ts';
import { gateway, type GatewayFigures } from './gateway.ts';
import { ourRelay } from './our-relay.ts';
import { agentProgram, starts, type Starts } from './spawn.ts';
import { percentile } from './statistics.ts';
import { NODES, tree, type TreeFigures } from './tree.ts';
import { warmStarts } from './warm-start.ts';
import { workspaces } from './workspaces.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SINGLES = 300;
const GAP_MS = 10;
const EVENTS = 60_000;
const STARTS = 30;

type Row = {
  what: string;
  ours: string;
  baseline: string;
  ratio: number;
  bar: string;
  ok: boolean;
};

/** It takes some minutes: what is measured now. */
const say = (what: string): void => console.log(`measuring: ${what}`);

async function measure(): Promise<Row[]> {
  using home = tempDir('filepath-bench');
  const engine = hasPodman() ? await startContainerEngine(['sh', agentProgram()]) : null;
  await using engines = new AsyncDisposableStack();
  engines.defer(async () => engine?.stop());
  const where = engine === null ? {} : { FILEPATH_CONTAINER_SOCKET: engine.socket };
  await using instance = await startInstance(where);
  say('relay');
  const bare = await bareRelay(home.path, SINGLES, GAP_MS, EVENTS);
  const ours = await ourRelay(instance, SINGLES, GAP_MS, EVENTS);
  say('starts of agents');
  const start = await starts(instance, STARTS, engine === null ? null : BASE_IMAGE);
  say('workspaces');
  const workspace = await workspaces(instance);
  say(`a tree of ${NODES} agents`);
  const grown = await tree(instance);
  await instance.stop();
  say('warm starts');
  const warm = await warmStarts(ROOT, 3);
  say('gateway');
  const models = await gateway();
  const talks = await chats(say);
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
    ...startRows(start),
    atMost('second workspace on 10,000 commits, 50 MB', workspace.second, workspace.first, 0.1),
    {
      ...atMost('npm start → first page, warm', warm, 2000, 1),
      baseline: '2000 ms',
      bar: '≤ 2 s',
    },
    ...treeRows(grown),
    ...models.flatMap(gatewayRows),
    ...chatRows(talks),
  ];
}

/** A tree of a thousand beside a tree of one. */
function treeRows({ memory, load, change }: TreeFigures): Row[] {
  const each = ((memory.after - memory.before) * 1024) / NODES;
  return [
    atMost(`status change → client, one of ${NODES} nodes, p50`, change.all, change.one, 3),
    atMost(`tree of ${NODES} nodes loaded, p50`, load.all, load.one, null),
    {
      what: `engine with ${NODES} more idle threads (${each.toFixed(0)} KiB each)`,
      ours: `${memory.after.toFixed(0)} MiB`,
      baseline: `${memory.before.toFixed(0)} MiB`,
      ratio: memory.after / memory.before,
      bar: 'none',
      ok: true,
    },
  ];
}

/** Ours beside the bare worker, and the other ways in the same words. */
function gatewayRows({ streams, first, mibPerSecond }: GatewayFigures): Row[] {
  const { bare, ours } = mibPerSecond;
  const others = `direct ${first.direct.p50.toFixed(2)}, nginx ${first.nginx.p50.toFixed(2)}`;
  return [
    atMost(
      `gateway, first byte, ${streams} streams, p50 (${others})`,
      first.ours.p50,
      first.bare.p50,
      2,
    ),
    atMost(`gateway, first byte, ${streams} streams, p95`, first.ours.p95, first.bare.p95, null),
    {
      what: `gateway, throughput, ${streams} streams (direct ${Math.round(mibPerSecond.direct)}, nginx ${Math.round(mibPerSecond.nginx)})`,
      ours: `${Math.round(ours)} MiB/s`,
      baseline: `${Math.round(bare)} MiB/s`,
      ratio: ours / bare,
      bar: 'none',
      ok: true,
    },
  ];
}

/** Our chat beside that of the Agents SDK alone. */
function chatRows({ first, thinking, atOnce, long }: ChatFigures): Row[] {
  const row = (what: string, { ours, bare }: ChatFigures['first'], p: number, bar: number | null) =>
    atMost(`${what}, p${p}`, percentile(ours, p), percentile(bare, p), bar);
  return [
    row('chat, message → first word, of a model that speaks at once', first, 50, null),
    row('chat, message → first word, of a model that takes 0.3 s', thinking, 50, 1.2),
    row('chat, message → first word, of a model that takes 0.3 s', thinking, 95, null),
    row(`chat, message → first word, ${CHATS} chats at once`, atOnce, 50, null),
    row(`chat, message → first word, ${CHATS} chats at once`, atOnce, 95, null),
    atMost(
      `chat, a turn after ${MESSAGES} messages beside one after 400`,
      long.late,
      long.early,
      1.5,
    ),
    {
      what: `chat, sent to the model after ${MESSAGES} messages beside 400 (${long.recalled ? 'knows' : 'FORGOT'} the third turn)`,
      ours: `${long.sentLate} characters`,
      baseline: `${long.sentEarly} characters`,
      ratio: long.sentLate / long.sentEarly,
      bar: '≤ 1.1×',
      ok: long.recalled && long.sentLate <= long.sentEarly * 1.1,
    },
    {
      what: `chat, engine after ${MESSAGES} messages beside a tenth of them`,
      ours: `${long.memoryLate.toFixed(0)} MiB`,
      baseline: `${long.memoryEarly.toFixed(0)} MiB`,
      ratio: long.memoryLate / long.memoryEarly,
      bar: '≤ 1.5×',
      ok: long.memoryLate <= long.memoryEarly * 1.5,
    },
  ];
}

/** The bar is on the median: the 95th of a hundred on a shared machine is what its neighbours do. */
function startRows({ bare, sandbox, container }: Starts): Row[] {
  const row = (kind: string, times: readonly number[], p: number): Row =>
    atMost(
      `message → first event of a new agent, ${kind}, p${p}`,
      percentile(times, p),
      percentile(bare, p),
      kind === 'sandbox' && p === 50 ? 3 : null,
    );
  return [
    row('sandbox', sandbox, 50),
    row('sandbox', sandbox, 95),
    ...(container === null
      ? []
      : [row('container', container, 50), row('container', container, 95)]),
  ];
}

/** Without a bar it is only reported. */
function atMost(what: string, ours: number, baseline: number, bar: number | null): Row {
  const ratio = ours / baseline;
  return {
    what,
    ours: `${ours.toFixed(2)} ms`,
    baseline: `${baseline.toFixed(2)} ms`,
    ratio,
    bar: bar === null ? 'none' : `≤ ${bar}×`,
    ok: bar === null || ratio <= bar,
  };
}

const rows = await measure();
console.table(
  rows.map(({ ratio, ok, ...row }) => ({
    ...row,
    ratio: `${ratio.toFixed(2)}×`,
    result: ok ? 'ok' : 'MISSED',
  })),
);
const file = fileURLToPath(new URL('results.json', import.meta.url));
writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), rows }, null, 2)}\n`);
process.exitCode = rows.every((row) => row.ok) ? 0 : 1;
