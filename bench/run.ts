import { startInstance, tempDir } from '@filepath/testkit';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bareRelay } from './bare-relay.ts';
import { ourRelay } from './our-relay.ts';
import { bareStarts, ourStarts } from './spawn.ts';
import { warmStarts } from './warm-start.ts';
import { workspaces } from './workspaces.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SINGLES = 300;
const GAP_MS = 10;
const EVENTS = 60_000;
const STARTS = 15;

type Row = {
  what: string;
  ours: string;
  baseline: string;
  ratio: number;
  bar: string;
  ok: boolean;
};

async function measure(): Promise<Row[]> {
  using home = tempDir('filepath-bench');
  await using instance = await startInstance();
  const bare = await bareRelay(home.path, SINGLES, GAP_MS, EVENTS);
  const ours = await ourRelay(instance, SINGLES, GAP_MS, EVENTS);
  const bareStart = await bareStarts(STARTS);
  const ourStart = await ourStarts(instance, STARTS);
  const workspace = await workspaces(instance);
  await instance.stop();
  const warm = await warmStarts(ROOT, 3);
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
    atMost('message → first event of a new agent, p50', ourStart, bareStart, 3),
    atMost('second workspace on 10,000 commits, 50 MB', workspace.second, workspace.first, 0.1),
    {
      ...atMost('npm start → first page, warm', warm, 2000, 1),
      baseline: '2000 ms',
      bar: '≤ 2 s',
    },
  ];
}

function atMost(what: string, ours: number, baseline: number, bar: number): Row {
  const ratio = ours / baseline;
  return {
    what,
    ours: `${ours.toFixed(2)} ms`,
    baseline: `${baseline.toFixed(2)} ms`,
    ratio,
    bar: `≤ ${bar}×`,
    ok: ratio <= bar,
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
