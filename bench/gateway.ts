import { type Instance, startInstance } from '@filepath/testkit';
import { streams } from './gateway/load.ts';
import { bareWorker, direct, nginx, ours, type Target } from './gateway/targets.ts';
import { startUpstream } from './gateway/upstream.ts';
import { percentile } from './statistics.ts';

const ROUNDS = 3;
const MIB = 1024 * 1024;

/**
 * How many streams at once, how many one after another, and how each of them comes. Those of many agents are as a
 * model gives them: an answer takes some seconds, comes in about 25 events a second, and begins at any moment of the
 * others'. With answers of one second there would be three times as many calls for the same number of streams.
 */
const LEVELS = [
  { streams: 1, each: 40, spreadMs: 0, pauseMs: 25, events: 4, gapMs: 10, bytes: 16 * MIB },
  { streams: 32, each: 2, spreadMs: 3000, pauseMs: 0, events: 75, gapMs: 40, bytes: MIB },
  { streams: 128, each: 2, spreadMs: 3000, pauseMs: 0, events: 75, gapMs: 40, bytes: MIB / 4 },
] as const;

/** A gateway runs for days, and its code is compiled within its first thousands of calls: what it costs then counts. */
const WARM = { streams: 8, each: 300, spreadMs: 0, pauseMs: 0, events: 4, gapMs: 1, bytes: 0 };

export type Way = 'direct' | 'nginx' | 'bare' | 'ours';

export type GatewayFigures = {
  readonly streams: number;
  /** Time to the first byte of an answer. */
  readonly first: Readonly<Record<Way, { p50: number; p95: number }>>;
  readonly mibPerSecond: Readonly<Record<Way, number>>;
};

/** The ways to a model in turn, round by round, so that what else the machine does meets all alike. */
export async function gateway(): Promise<GatewayFigures[]> {
  await using stack = new AsyncDisposableStack();
  const upstream = await startUpstream();
  stack.defer(() => upstream.stop());
  const instance: Instance = stack.use(
    await startInstance({
      ANTHROPIC_API_KEY: 'key-of-the-bench',
      ANTHROPIC_BASE_URL: upstream.url,
      OPENROUTER_BASE_URL: 'http://127.0.0.1:1',
    }),
  );
  const ways: Partial<Record<Way, Target>> = {
    direct: direct(upstream.url),
    bare: await bareWorker(upstream.url),
    ours: await ours(instance),
  };
  const proxy = await nginx(upstream.url);
  if (proxy) ways.nginx = proxy;
  else console.log('nginx is not installed and left out; install it with: apt-get install nginx');
  for (const way of Object.values(ways)) stack.defer(() => way.stop());

  for (const way of Object.values(ways)) await streams(way, WARM, WARM);

  const figures: GatewayFigures[] = [];
  for (const level of LEVELS) figures.push(await measure(ways, level));
  return figures;
}

async function measure(
  ways: Partial<Record<Way, Target>>,
  level: (typeof LEVELS)[number],
): Promise<GatewayFigures> {
  const first = new Map<string, number[]>();
  const rates = new Map<string, number[]>();
  const wish = { events: level.events, gapMs: level.gapMs, bytes: 0 };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, target] of Object.entries(ways)) {
      const taken = await streams(target, level, wish);
      const rate = await pour(target, level);
      // The first round of a level opens its connections.
      if (round === 0) continue;
      first.set(name, [...(first.get(name) ?? []), ...taken.map(({ firstMs }) => firstMs)]);
      rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const of = <T>(read: (way: Way) => T): Record<Way, T> => ({
    direct: read('direct'),
    nginx: read('nginx'),
    bare: read('bare'),
    ours: read('ours'),
  });
  return {
    streams: level.streams,
    first: of((way) => ({
      p50: percentile(first.get(way) ?? [], 50),
      p95: percentile(first.get(way) ?? [], 95),
    })),
    mibPerSecond: of((way) => percentile(rates.get(way) ?? [], 50)),
  };
}

/** As much as it takes, over all streams together. */
async function pour(target: Target, { streams: count, bytes }: (typeof LEVELS)[number]) {
  const started = performance.now();
  const level = { streams: count, each: 1, spreadMs: 0, pauseMs: 0 };
  const taken = await streams(target, level, { events: 0, gapMs: 0, bytes });
  const all = taken.reduce((sum, one) => sum + one.bytes, 0);
  return (all / MIB / (performance.now() - started)) * 1000;
}
