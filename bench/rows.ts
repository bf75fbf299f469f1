import { type ChatFigures, CHATS, MESSAGES } from './chat.ts';
import type { GatewayFigures } from './gateway.ts';
import type { Starts } from './spawn.ts';
import { percentile } from './statistics.ts';
import { NODES, type TreeFigures } from './tree.ts';

/** What a thousand idle threads may cost; here two thousand have to do with it. */
const IDLE_MIB = 50;

/** One line of the table: ours beside a baseline of the same run. */
export type Row = {
  what: string;
  ours: string;
  baseline: string;
  ratio: number;
  bar: string;
  ok: boolean;
};

/** A tree of a thousand beside a tree of one. */
export function treeRows({ memory, load, change }: TreeFigures): Row[] {
  const { before, made, rested, again, idle } = memory;
  const held = (what: string, ours: number, baseline: number, bar: number | null): Row => ({
    what,
    ours: `${ours.toFixed(0)} MiB`,
    baseline: `${baseline.toFixed(0)} MiB`,
    ratio: ours / baseline,
    bar: bar === null ? 'none' : `+${bar} MiB`,
    ok: bar === null || ours - baseline <= bar,
  });
  return [
    atMost(`status change → client, one of ${NODES} nodes, p50`, change.all, change.one, 3),
    atMost(`tree of ${NODES} nodes loaded, p50`, load.all, load.one, null),
    held(`engine when ${NODES} threads were just made`, made, before, null),
    held(`engine at rest after them`, rested, before, null),
    held(`engine at rest after as many again`, again, rested, null),
    held(
      `engine at rest, started with ${2 * NODES} idle threads, trees shown`,
      idle.with,
      idle.without,
      IDLE_MIB,
    ),
  ];
}

/** Ours beside the bare worker, and the other ways in the same words. */
export function gatewayRows({ streams, first, mibPerSecond }: GatewayFigures): Row[] {
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
export function chatRows({ first, thinking, atOnce, long }: ChatFigures): Row[] {
  const row = (what: string, { ours, bare }: ChatFigures['first'], p: number, bar: number | null) =>
    atMost(`${what}, p${p}`, percentile(ours, p), percentile(bare, p), bar);
  return [
    row('chat, message → first word, of a model that speaks at once', first, 50, 1.2),
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
export function startRows({ bare, sandbox, container }: Starts): Row[] {
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
export function atMost(what: string, ours: number, baseline: number, bar: number | null): Row {
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
