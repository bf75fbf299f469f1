import { agentPids } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { Bench, processesOf, shellOrder, tempDir } from './setup.ts';

const DEAF = `trap '' TERM INT HUP`;

/** Each is up when it has said so, and would never end by itself. */
const HOSTILE: [string, string][] = [
  ['ignores TERM', `${DEAF}; echo up; while :; do sleep 0.1; done`],
  [
    'forks twice into a session of its own',
    `(setsid sh -c '${DEAF.replaceAll("'", '"')}; while :; do sleep 0.1; done' &) ; echo up; ${DEAF}; while :; do sleep 0.1; done`,
  ],
  ['stops itself', 'echo up; kill -STOP $$; while :; do sleep 0.1; done'],
  ['stops all it can', `echo up; kill -STOP -1; while :; do sleep 0.1; done`],
  ['never stops printing', `${DEAF}; echo up; exec yes "$(head -c 50000 /dev/zero | tr '\\0' y)"`],
  [
    'leaves its output to a child and ends',
    `echo up; (${DEAF}; while :; do sleep 0.1; done) & exit 0`,
  ],
  ['never reads its input', `${DEAF}; echo up; exec 0<&-; while :; do sleep 0.1; done`],
  ['forks without end', `${DEAF}; echo up; while :; do sleep 100 & done 2> /dev/null`],
];

const WAYS = [
  ['control groups', () => ({})],
  ['none', () => ({ cgroupRoot: tempDir() })],
] as const;

describe.each(WAYS)('with %s for control groups', (_way, more) => {
  it.each(HOSTILE)('[RUN8] nothing is left of a stopped agent that %s', async (_what, script) => {
    const env = { ...process.env, FILEPATH_AGENT_PIDS: '64' };
    const bench = await Bench.open({ env, ...more() });
    const order = shellOrder(script);
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'));
    const { thread: id, epoch } = order;
    bench.worker.order({
      kind: 'stop',
      thread: id,
      epoch,
      graceMs: 100,
      inputs: [{ id: 1, line: '{"type":"signal","action":"stop"}' }],
    });
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit?.reason).toMatch(/^(stopped|exited)$/);
    expect(thread.observed.filter(({ type }) => type === 'exit')).toHaveLength(1);
    await bench.logged(order, 'over');
    await expect.poll(() => [...processesOf(bench.home), ...agentPids(id)]).toEqual([]);
  });
});
