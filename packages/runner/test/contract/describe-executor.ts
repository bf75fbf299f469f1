import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder, StopOrder } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import type { RunnerOptions } from '../../src/index.ts';
import { signal } from '../../src/proc.ts';
import type { ThreadRecord } from '../fake-worker.ts';
import { smallDisk } from '../small-disk.ts';
import { Bench, message, processesOf, runnerProcess, shellOrder } from '../setup.ts';

export type Subject = {
  kind: 'sandbox' | 'container';
  options(): Partial<RunnerOptions>;
  /** What makes an order one for this executor. */
  config: StartOrder['config'];
  /** What of the agent the executor still knows; its processes are looked for here. */
  leftovers(order: StartOrder): Promise<string[]>;
};

/** A machine under load starts containers slowly. */
const LONG_MS = 90_000;
const SIGNAL = '{"type":"signal","action":"stop"}';
const HOG = `perl -e 'my @a; push @a, "x" x 1e7 while 1'`;
const BOMB = `perl -e '$| = 1; for my $n (1 .. 1000) {
  my $pid = fork; if (!defined $pid) { print "refused: $!\\n"; exit 3 }
  if (!$pid) { sleep 1000; exit }
}'`;

/** 64 MB in lines of 64 kB. */
const FLOOD = `line=$(head -c 65530 /dev/zero | tr '\\0' x); n=0
while [ $n -lt 1000 ]; do echo "$line"; n=$((n + 1)); done; echo end`;

const COUNT = 20_000;
/** 20 MB in numbered lines. */
const NUMBERS = `perl -e '$| = 1; for (1 .. ${COUNT}) { print $_, " ", "x" x 1000, "\\n" }'`;
/** Something listens where the agent finds its way out. */
const LISTENS = `grep -q ' 0100007F:10B9 00000000:0000 0A ' /proc/net/tcp`;
/** Asks the proxy for a host that is not allowed; without a library, which an image may lack. */
const ASK = `perl -e '
  socket(S, 2, 1, 0) && connect(S, pack("Sna4x8", 2, 4281, pack("C4", 127, 0, 0, 1))) or die $!;
  syswrite(S, "GET http://denied.test/ HTTP/1.1\\r\\nHost: denied.test\\r\\nConnection: close\\r\\n\\r\\n");
  sysread(S, my $all, 4096); $all =~ /(.*?)\\r/; print "$1\\n"'`;

/** What every executor must do, whatever it runs agents in. */
export function describeExecutor(name: string, subject: Subject): void {
  /** The mark stands in the command: what has it in its arguments is the agent's. */
  const orderOf = (script: string, mark = 'agent', more: Partial<StartOrder> = {}): StartOrder =>
    shellOrder('', {
      config: { ...subject.config, command: ['sh', '-c', script, mark] },
      ...more,
    });

  const open = (options: Partial<RunnerOptions> & { idle?: true } = {}): Promise<Bench> => {
    const own = subject.options();
    return Bench.open({ ...own, ...options, env: { ...own.env, ...options.env } });
  };

  async function run(bench: Bench, order: StartOrder): Promise<ThreadRecord> {
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
    return thread;
  }

  async function running(bench: Bench, order: StartOrder): Promise<ThreadRecord> {
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'), LONG_MS);
    return thread;
  }

  const stopOf = (order: StartOrder, graceMs: number): StopOrder => ({
    kind: 'stop',
    thread: order.thread,
    epoch: order.epoch,
    graceMs,
    inputs: [{ id: 1, line: SIGNAL }],
  });

  const nothingLeft = async (bench: Bench, order: StartOrder, mark: string): Promise<void> => {
    await vi.waitFor(
      async () => {
        expect(processesOf(mark)).toEqual([]);
        expect(processesOf(bench.home)).toEqual([]);
        expect(await subject.leftovers(order)).toEqual([]);
      },
      { timeout: LONG_MS, interval: 20 },
    );
  };

  const mark = (): string => `mark-${randomUUID()}`;

  describe(`${name}: the contract of executors`, () => {
    it('starts the command in /workspace, as somebody else than root, and says by what it runs', async () => {
      const bench = await open();
      const thread = await run(
        bench,
        orderOf('pwd; [ "$(id -u)" != 0 ] && echo nobody; echo here > file; echo home > ~/file'),
      );
      expect(thread.texts).toEqual(['/workspace', 'nobody']);
      expect(thread.observed.find((body) => body.type === 'started')).toMatchObject({
        executor: subject.kind,
      });
      expect(thread.exit).toMatchObject({ reason: 'exited', code: 0, signal: null });
    });

    it('gives the environment of the contract and nothing of the runner', async () => {
      process.env['RUNNER_ONLY'] = 'canary';
      const bench = await open();
      const order = orderOf('env', 'agent', { task: 'the task', model: 'a/model' });
      order.config = { ...order.config, envVars: { OWN: 'value = "x"' } };
      const { texts } = await run(bench, order);
      delete process.env['RUNNER_ONLY'];
      for (const line of [
        'FILEPATH_TASK=the task',
        `FILEPATH_AGENT_ID=${order.thread}`,
        `FILEPATH_SESSION_ID=${order.session}`,
        'FILEPATH_MODEL=a/model',
        'FILEPATH_API_KEY=[redacted]',
        'HOME=/home/agent',
        'OWN=[redacted]',
      ]) {
        expect(texts).toContain(line);
      }
      expect(texts.join('\n')).not.toContain('canary');
    });

    it('[RUN13] puts no secret into an argument of a process', async () => {
      const bench = await open();
      const secret = `secret-${randomUUID()}`;
      const order = orderOf('echo up; read line');
      order.config = { ...order.config, envVars: { SECRET: secret } };
      const thread = await running(bench, order);
      expect(processesOf(secret)).toEqual([]);
      expect(existsSync(bench.runFile(order, 'args'))).toBe(false);
      bench.worker.input(order.thread, 'end');
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
    });

    it('delivers inputs in order, those that were there first and those that come', async () => {
      const bench = await open();
      const order = orderOf(
        'while read -r line; do echo "$line"; case $line in *end*) exit 0;; esac; done',
        'agent',
        { inputs: [{ id: 1, line: message('first') }] },
      );
      bench.worker.order(order);
      const thread = bench.worker.thread(order.thread);
      await bench.worker.until('one', () => thread.texts.length === 1, LONG_MS);
      const long = message('x'.repeat(200_000));
      for (const line of [long, message('ä\u2028'), message('end')]) {
        bench.worker.input(order.thread, line);
      }
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.texts).toEqual([message('first'), long, message('ä\u2028'), message('end')]);
    });

    it('[RUN4] loses nothing of 50 MB, nor a last line without an end', async () => {
      const bench = await open();
      const thread = await run(
        bench,
        orderOf(`perl -e 'for my $i (1 .. 500000) { printf "%099d\\n", $i } print "end"'`),
      );
      const hash = createHash('sha256');
      for (let i = 1; i <= 500_000; i++) hash.update(`${String(i).padStart(99, '0')}\n`);
      const told = createHash('sha256');
      for (const text of thread.texts.slice(0, -1)) told.update(`${text}\n`);
      expect(told.digest('hex')).toBe(hash.digest('hex'));
      expect(thread.texts.at(-1)).toBe('end');
    });

    it('[RUN4] is held up while its lines wait to be stored, and then loses none', async () => {
      const bench = await open();
      const order = orderOf(FLOOD);
      const thread = bench.worker.thread(order.thread);
      thread.holdAcks = true;
      bench.worker.order(order);
      const pump = (): string => readFileSync(bench.runFile(order, 'pump'), 'utf8').trim();
      await expect.poll(pump).toBe('wait');
      expect(statSync(bench.runFile(order, 'spool')).size).toBeLessThan(48 * 2 ** 20);
      thread.holdAcks = false;
      thread.socket?.terminate();
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.lines).toHaveLength(1001);
      expect(thread.texts.at(-1)).toBe('end');
      expect(thread.exit).toMatchObject({ code: 0, reason: 'exited' });
    });

    it('keeps the end of stderr apart from stdout', async () => {
      const bench = await open();
      const thread = await run(bench, orderOf('seq 1 100000 >&2; echo out; echo last >&2; exit 7'));
      expect(thread.texts).toEqual(['out']);
      expect(thread.exit).toMatchObject({ reason: 'exited', code: 7 });
      expect(thread.exit?.stderr?.endsWith('100000\nlast\n')).toBe(true);
      expect(thread.exit?.stderr?.length).toBeLessThanOrEqual(8192);
    });

    it('tells a command that cannot be run from one that failed', async () => {
      const bench = await open();
      const order = shellOrder('', {
        config: { ...subject.config, command: ['no-such-program'] },
      });
      const thread = await run(bench, order);
      expect(thread.exit?.reason).toBe('exited');
      expect(thread.exit?.code).toBeGreaterThan(0);
      expect(thread.exit?.stderr).toMatch(/no-such-program/);
    });

    it('[RUN8] a stop is a line, then TERM', async () => {
      const bench = await open();
      const obeying = orderOf('echo up; read line; echo "$line"; exit 0');
      const first = await running(bench, obeying);
      bench.worker.order(stopOf(obeying, 20_000));
      await bench.worker.until('exit', () => first.exit !== undefined, LONG_MS);
      expect(first.texts).toEqual(['up', SIGNAL]);
      expect(first.exit).toMatchObject({ reason: 'stopped', code: 0 });
      const asked = orderOf('trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.05; done');
      const second = await running(bench, asked);
      bench.worker.order(stopOf(asked, 50));
      await bench.worker.until('exit', () => second.exit !== undefined, LONG_MS);
      expect(second.texts).toEqual(['up', 'bye']);
      expect(second.exit).toMatchObject({ reason: 'stopped', code: 3 });
      const plain = orderOf('echo up; sleep 1000; exit $?');
      const third = await running(bench, plain);
      bench.worker.order(stopOf(plain, 50));
      await bench.worker.until('exit', () => third.exit !== undefined, LONG_MS);
      expect(third.exit).toMatchObject({ reason: 'stopped', code: 143 });
    });

    it('[RUN8] a stop ends a stubborn agent with everything it started', async () => {
      const bench = await open();
      const own = mark();
      const order = orderOf(
        `trap "" TERM; perl -e 'setpgrp; $SIG{TERM} = "IGNORE"; sleep 1000' "$0" &
        echo up; while :; do sleep 0.05; done`,
        own,
      );
      const thread = await running(bench, order);
      expect(processesOf(own).length).toBeGreaterThan(0);
      bench.worker.order(stopOf(order, 50));
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.exit).toMatchObject({ reason: 'stopped', signal: 'SIGKILL' });
      await bench.logged(order, 'over');
      await nothingLeft(bench, order, own);
    });

    it('[RUN17] F15: memory and processes are limited, and the exit says by which', async () => {
      const small = { FILEPATH_AGENT_MEMORY: '128M', FILEPATH_AGENT_PIDS: '40' };
      const bench = await open({ env: small });
      const sibling = orderOf('echo up; read line; echo "heard $line"');
      const other = await running(bench, sibling);
      const hog = await run(bench, orderOf(HOG));
      expect(hog.exit).toMatchObject({ reason: 'limit', detail: 'out of memory (limit 128 MiB)' });
      const bomb = await run(bench, orderOf(BOMB));
      expect(bomb.texts).toEqual(['refused: Resource temporarily unavailable']);
      expect(bomb.exit).toMatchObject({ reason: 'limit', detail: 'too many processes (limit 40)' });
      const survivor = await run(bench, orderOf(`${HOG}; echo "child $?"`));
      expect(survivor.exit).toMatchObject({ reason: 'exited', code: 0 });
      bench.worker.input(sibling.thread, 'one');
      await bench.worker.until('exit', () => other.exit !== undefined, LONG_MS);
      expect(other.texts).toEqual(['up', 'heard one']);
    });

    it('[RUN19] a pause holds the agent still; a stop lets it go on first', async () => {
      const bench = await open();
      const order = orderOf(
        'echo up; while read -r line; do case $line in *stop*) echo bye; exit 0;; *) echo "heard";; esac; done',
      );
      const thread = await running(bench, order);
      const { thread: id, epoch } = order;
      const freeze = async (frozen: boolean, seq: number): Promise<void> => {
        const number = bench.worker.order({ kind: 'freeze', thread: id, epoch, seq, frozen });
        await bench.worker.until(
          'taken',
          () => bench.worker.orders[number - 1]?.taken === 1,
          LONG_MS,
        );
      };
      await freeze(true, 5);
      bench.worker.input(id, message('one'));
      await bench.worker.until('written', () => thread.written.includes(1), LONG_MS);
      // Held, it does not answer; a bystander that is not held does, after it.
      const bystander = orderOf('echo up; read line; echo "$line"');
      const other = await running(bench, bystander);
      bench.worker.input(bystander.thread, 'go');
      await bench.worker.until('exit', () => other.exit !== undefined, LONG_MS);
      expect(thread.texts).toEqual(['up']);
      await freeze(false, 6);
      await bench.worker.until('an answer', () => thread.texts.length === 2, LONG_MS);
      await freeze(true, 7);
      bench.worker.order({ ...stopOf(order, 20_000), inputs: [{ id: 2, line: SIGNAL }] });
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.texts).toEqual(['up', 'heard', 'bye']);
      expect(thread.exit).toMatchObject({ reason: 'stopped', code: 0 });
    });

    it('[RUN2] F2: lives on when the runner is killed, and loses no line', async () => {
      const bench = await open({ idle: true });
      const first = runnerProcess(bench);
      const order = orderOf(
        'echo up; read line; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo "$i"; done; exit 4',
      );
      const thread = await running(bench, order);
      await first.kill();
      expect(bench.shim(order).alive()).toBe(true);
      await bench.start(subject.options());
      bench.worker.input(order.thread, 'go');
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.texts).toEqual([
        'up',
        ...Array.from({ length: 2000 }, (_, index) => String(index + 1)),
      ]);
      expect(thread.exit).toMatchObject({ reason: 'exited', code: 4 });
      expect(thread.observed.filter((body) => body.type === 'started')).toHaveLength(1);
    });

    it('[RUN6] F3: nothing is left 2 s after its shim was killed, and it is lost once', async () => {
      const bench = await open();
      const own = mark();
      const order = orderOf('echo up; sleep 1000 & sleep 1000', own);
      const thread = await running(bench, order);
      signal(bench.shim(order).pid, 'SIGKILL');
      await vi.waitFor(() => expect(processesOf(own)).toEqual([]), { timeout: 2_000, interval: 5 });
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      await nothingLeft(bench, order, own);
      await bench.logged(order, 'over');
      const ends = thread.observed.filter(
        (body) => body.type === 'exit' || body.type === 'refused',
      );
      expect(ends).toMatchObject([{ reason: 'lost', code: null }]);
    });

    it('[RUN1] an epoch that is started twice has one process', async () => {
      const bench = await open({ idle: true });
      // Two runners on one home, as after a kill that was not one.
      runnerProcess(bench);
      const order = orderOf('echo ran >> log; echo up; read line; cat log');
      const thread = await running(bench, order);
      await bench.start(subject.options());
      await bench.logged(order, 'attached');
      bench.worker.input(order.thread, 'go');
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.texts).toEqual(['up', 'ran']);
    });

    it('[RUN11] has no network but loopback', async () => {
      const bench = await open();
      const thread = await run(bench, orderOf(INTERFACES));
      expect(thread.texts).toEqual(['lo']);
    });

    it('[NET7] [NET9] [NET11] has one way out, there before its command, and after another runner took over', async () => {
      const bench = await open({ idle: true });
      const first = runnerProcess(bench);
      const ask = `[ ! -S /run/filepath/gw.sock ] || echo socket; ${ASK}`;
      const order = orderOf(
        `${ask}; echo up; read line; until ${LISTENS}; do sleep 0.05; done; ${ask}`,
      );
      const thread = await running(bench, order);
      const answer = ['socket', 'HTTP/1.1 403 Forbidden'];
      expect(thread.texts).toEqual([...answer, 'up']);
      await first.kill();
      runnerProcess(bench);
      bench.worker.input(order.thread, 'again');
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.texts).toEqual([...answer, 'up', ...answer]);
      const denied = thread.observed.filter(({ type }) => type === 'denied');
      expect(denied).toMatchObject([{ host: 'denied.test', port: 80 }]);
    });

    it('[RUN42] F13: is held on a full disk, loses nothing and goes on when there is room', async () => {
      const disk = smallDisk(96);
      const bench = await open({ home: disk.path, env: { FILEPATH_DISK_RESERVE: '0' } });
      const order = orderOf(`echo up; read first; read second; ${NUMBERS}`, 'agent', {
        inputs: [{ id: 1, line: message('first') }],
      });
      const thread = await running(bench, order);
      disk.fill();
      bench.worker.input(order.thread, message('go'));
      await bench.logged(order, 'held');
      disk.empty();
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      const numbers = thread.texts.slice(1).map((text) => Number.parseInt(text, 10));
      expect(numbers).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
      expect(thread.exit).toMatchObject({ code: 0, reason: 'exited' });
    });

    it('[RUN45] F15: is told to be silent when everything of it was stopped, and a sibling goes on', async () => {
      const bench = await open({ env: { FILEPATH_AGENT_SILENCE: '1s' } });
      const sibling = orderOf('echo up; while read line; do echo "heard $line"; done');
      const heard = await running(bench, sibling);
      const order = orderOf(`echo up; sh -c 'kill -STOP $$'`);
      const thread = await running(bench, order);
      const silences = (): unknown[] => thread.observed.filter(({ type }) => type === 'silent');
      await bench.worker.until('told twice', () => silences().length === 2, LONG_MS);
      const limit = 'stalled: nothing heard for 2 seconds';
      bench.worker.order({ ...stopOf(order, 0), inputs: [], limit });
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(thread.exit).toMatchObject({ reason: 'limit', detail: limit });
      expect(thread.texts).toEqual(['up']);
      bench.worker.input(sibling.thread, 'one');
      await bench.worker.until('an answer', () => heard.texts.includes('heard one'), LONG_MS);
    });

    it('[RUN9] a removed agent is ended at once and its home put aside', async () => {
      const bench = await open();
      const own = mark();
      const order = orderOf('echo up; while :; do sleep 0.05; done', own);
      await running(bench, order);
      bench.worker.order({ kind: 'remove', thread: order.thread, slug: order.slug });
      await bench.logged(order, 'removed');
      await nothingLeft(bench, order, own);
      expect(existsSync(bench.agentDir(order))).toBe(false);
    });

    it('[RUN31] the choice of an epoch is on disk before its process', async () => {
      const bench = await open();
      const order = orderOf('echo up; read line');
      const thread = await running(bench, order);
      expect(readFileSync(bench.runFile(order, 'executor'), 'utf8').trim()).toBe(subject.kind);
      bench.worker.input(order.thread, 'end');
      await bench.worker.until('exit', () => thread.exit !== undefined, LONG_MS);
      expect(existsSync(join(bench.agentDir(order), 'workspace'))).toBe(true);
      expect(await subject.leftovers(order)).toEqual([]);
    });
  });
}

/** The names of all network interfaces. What a policy opens is asked for beside them. */
const INTERFACES = `sed -e 1,2d -e 's/:.*//' -e 's/ *//' /proc/net/dev`;
