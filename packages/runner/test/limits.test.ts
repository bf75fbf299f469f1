import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { CGROUP_ROOT, findHierarchies } from '../src/limits/hierarchies.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';
import type { ThreadRecord } from './fake-worker.ts';

const SMALL = {
  ...process.env,
  FILEPATH_AGENT_MEMORY: '128M',
  FILEPATH_AGENT_PIDS: '40',
  FILEPATH_AGENT_CPUS: '0.5',
};

/** Goes on until it is told to end: proof that an agent was not harmed. */
const SIBLING = 'while read line; do echo "heard $line"; done';
const HOG = `perl -e 'my @a; push @a, "x" x 1e7 while 1'`;

/** Children that stay, until none can be made any more. */
const BOMB = `perl -e '$| = 1; for my $n (1 .. 1000) {
  my $pid = fork; if (!defined $pid) { print "refused: $!\\n"; exit 3 }
  if (!$pid) { sleep 1000; exit }
}'`;

function run(bench: Bench, order: StartOrder): ThreadRecord {
  bench.worker.order(order);
  return bench.worker.thread(order.thread);
}

const ended = (bench: Bench, thread: ThreadRecord): Promise<void> =>
  bench.worker.until('exit', () => thread.exit !== undefined);

async function answers(bench: Bench, order: StartOrder, word: string): Promise<void> {
  bench.worker.input(order.thread, word);
  const { texts } = bench.worker.thread(order.thread);
  const heard = (): boolean => bench.worker.thread(order.thread).texts.includes(`heard ${word}`);
  await bench.worker.until(`an answer after ${texts.length} lines`, heard);
}

/** The groups of all agents whose slug this is. */
const groupsOf = (order: StartOrder): string[] =>
  findHierarchies(CGROUP_ROOT).flatMap(({ parent }) =>
    readdirSync(parent)
      .filter((name) => name.startsWith(`${order.slug}-`))
      .map((name) => join(parent, name)),
  );

describe('limits by control groups', () => {
  it('[RUN17] F15: out of memory ends the agent, its exit says so, and a sibling goes on', async () => {
    const bench = await Bench.open({ env: SMALL });
    const sibling = shellOrder(SIBLING);
    run(bench, sibling);
    await answers(bench, sibling, 'one');
    const thread = run(bench, shellOrder(HOG));
    await ended(bench, thread);
    expect(thread.exit).toMatchObject({
      reason: 'limit',
      detail: 'out of memory (limit 128 MiB)',
      code: 137,
    });
    await answers(bench, sibling, 'two');
  });

  it('[RUN17] F15: a fork bomb is refused more processes, its exit says so, and a sibling goes on', async () => {
    const bench = await Bench.open({ env: SMALL });
    const sibling = shellOrder(SIBLING);
    run(bench, sibling);
    await answers(bench, sibling, 'one');
    const thread = run(bench, shellOrder(BOMB));
    await ended(bench, thread);
    expect(thread.texts).toEqual(['refused: Resource temporarily unavailable']);
    expect(thread.exit).toMatchObject({ reason: 'limit', detail: 'too many processes (limit 40)' });
    await answers(bench, sibling, 'two');
  });

  it('[RUN17] an agent that goes on after a child ran out of memory has not ended at a limit', async () => {
    const bench = await Bench.open({ env: SMALL });
    const thread = run(bench, shellOrder(`${HOG}; echo "child $?"`));
    await ended(bench, thread);
    expect(thread.texts).toEqual(['child 137']);
    expect(thread.exit).toMatchObject({ reason: 'exited', code: 0 });
  });

  it('[RUN17] the groups carry the limits, hold the agent and are gone after its end', async () => {
    const bench = await Bench.open({ env: SMALL });
    const order = shellOrder(SIBLING);
    const thread = run(bench, order);
    await answers(bench, order, 'one');
    const groups = groupsOf(order);
    const values = groups.flatMap((group) =>
      ['memory.limit_in_bytes', 'memory.max', 'pids.max', 'cpu.cfs_quota_us', 'cpu.max']
        .map((name) => join(group, name))
        .filter((path) => existsSync(path))
        .map((path) => readFileSync(path, 'utf8').trim()),
    );
    expect(values.toSorted()).toEqual(['134217728', '40', expect.stringMatching(/^50000/)]);
    for (const group of groups) {
      const members = readFileSync(join(group, 'cgroup.procs'), 'utf8').trim().split('\n');
      expect(members.length).toBeGreaterThan(1);
      expect(members).not.toContain(String(bench.shim(order).pid));
    }
    bench.worker.order({
      kind: 'stop',
      thread: order.thread,
      epoch: 1,
      graceMs: 0,
      inputs: [],
    });
    await ended(bench, thread);
    expect(thread.exit).toMatchObject({ reason: 'stopped' });
    expect(groupsOf(order)).toEqual([]);
    expect(existsSync(bench.runFile(order, 'groups'))).toBe(false);
  });

  it('[RUN17] another runner finds the groups of an agent that went on, and removes them', async () => {
    const bench = await Bench.open({ env: SMALL });
    const order = shellOrder(`read line; ${HOG}`);
    const thread = run(bench, order);
    await bench.logged(order, 'started');
    await bench.stop();
    await bench.start({ env: SMALL });
    bench.worker.input(order.thread, 'go');
    await ended(bench, thread);
    expect(thread.exit).toMatchObject({ reason: 'limit', detail: expect.stringMatching(/memory/) });
    expect(groupsOf(order)).toEqual([]);
  });

  it('[RUN18] the runner says which limits are in force', async () => {
    const bench = await Bench.open();
    await bench.worker.until('hello', () => bench.worker.connected);
    const limit = expect.stringMatching(/^cgroup-v[12]$/);
    expect(bench.worker.executors).toEqual([
      { kind: 'sandbox', available: true, limits: { memory: limit, pids: limit, cpu: limit } },
      { kind: 'container', available: false, reason: expect.stringMatching(/podman or docker/) },
    ]);
  });
});

describe('limits without control groups', () => {
  it('[RUN18] agents run all the same, held by limits of each process, and the runner says so', async () => {
    const bench = await Bench.open({ env: SMALL, cgroupRoot: tempDir() });
    await bench.worker.until('hello', () => bench.worker.connected);
    expect(bench.worker.executors).toMatchObject([
      { available: true, limits: { memory: 'rlimit', pids: 'rlimit', cpu: 'none' } },
      { kind: 'container' },
    ]);
    const thread = run(bench, shellOrder(`ulimit -d; ${BOMB}; ${HOG} 2>/dev/null; echo end`));
    await ended(bench, thread);
    expect(thread.texts).toEqual([
      String(128 * 1024),
      'refused: Resource temporarily unavailable',
      'end',
    ]);
    expect(thread.exit).toMatchObject({ reason: 'exited', code: 0 });
  });

  it('[RUN18] a hierarchy that cannot be used counts as none', () => {
    const root = tempDir();
    mkdirSync(join(root, 'memory'));
    expect(findHierarchies(root)).toEqual([]);
    expect(findHierarchies(join(root, 'missing'))).toEqual([]);
  });
});
