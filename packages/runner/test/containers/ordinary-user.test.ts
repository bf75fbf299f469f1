import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { initOf } from '../../src/executor/process-files.ts';
import { readText } from '../../src/files.ts';
import { RunDir } from '../../src/home.ts';
import { childrenOf, signal, statOf } from '../../src/proc.ts';
import { asUser, USER } from '../as-user.ts';
import { PATIENCE_MS } from '../fake-worker.ts';
import { Bench, later, processesOf, runnerProcess, tempDir } from '../setup.ts';
import { engineAnswers, PODMAN_CONF } from '@filepath/testkit';
import { BASE_IMAGE, containerOrder } from './setup.ts';

/** A podman of an ordinary user. Its socket. */
async function rootless(): Promise<string> {
  const dir = tempDir();
  const conf = join(dir, 'containers.conf');
  const archive = join(dir, 'base.tar');
  copyFileSync(process.env['FILEPATH_TEST_ROOT'] ?? '', archive);
  writeFileSync(conf, PODMAN_CONF);
  const root = process.getuid?.() === 0;
  if (root) for (const path of [dir, conf, archive]) chownSync(path, USER, USER);
  chmodSync(dir, 0o755);
  const env = { ...process.env, HOME: dir, XDG_RUNTIME_DIR: dir, CONTAINERS_CONF: conf };
  const drop = ['setpriv', '--reuid', `${USER}`, '--regid', `${USER}`, '--clear-groups'];
  const storage = ['--root', join(dir, 'storage'), '--runroot', join(dir, 'run')];
  const [file = '', ...args] = [...(root ? drop : []), 'podman', ...storage];
  const options = { env, cwd: dir, stdio: 'ignore' } as const;
  execFileSync(file, [...args, 'import', archive, BASE_IMAGE], options);
  const socket = join(dir, 'podman.sock');
  const service = spawn(
    file,
    [...args, 'system', 'service', '--time=0', `unix://${socket}`],
    options,
  );
  later(async () => {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
    // What cleans up after a container works in the same storage.
    await vi.waitFor(() => expect(processesOf(dir)).toEqual([]), PATIENCE_MS);
    // It holds the user's namespaces, and would go on.
    const holder = Number(readText(join(dir, 'libpod/tmp/pause.pid')) ?? 0);
    execFileSync(file, [...args, 'system', 'reset', '--force'], { ...options, timeout: 60_000 });
    if (holder > 1) signal(holder, 'SIGKILL');
  });
  await engineAnswers(socket);
  return socket;
}

/** By the freezer or by signals, none of its processes runs. */
const held = (run: RunDir): boolean => {
  const init = initOf(run) ?? 0;
  return [init, ...childrenOf(init)].every((pid) => /^[TD]$/.test(statOf(pid)?.state ?? ''));
};

describe('a container of an ordinary user', () => {
  it('[RUN32] [CTR1] [NET7] runs an agent, whose files are the user’s, and says what limits it', async () => {
    const socket = await rootless();
    const bench = await Bench.open({ idle: true });
    const user = asUser();
    if (user.prefix.length > 0) chownSync(bench.home, USER, USER);
    const own = process.env['FILEPATH_CONTAINER_SOCKET'];
    process.env['FILEPATH_CONTAINER_SOCKET'] = socket;
    runnerProcess(bench, user.prefix, user.path);
    process.env['FILEPATH_CONTAINER_SOCKET'] = own;
    const order = containerOrder(
      `echo up; read line; echo "$line" > note; grep -E '^(CapPrm|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\t' ' '
      ( : > /usr/x ) 2> /dev/null && echo open; sed -e 1,2d -e 's/:.*//' -e 's/ *//' /proc/net/dev
      until grep -q ' 0100007F:10B9 00000000:0000 0A ' /proc/net/tcp; do sleep 0.05; done; echo out
      sleep 1000 & echo end; wait`,
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'));
    const [, container] = bench.worker.executors as { limits: { memory: string } }[];
    expect(container).toMatchObject({ kind: 'container', available: true });
    expect(container?.limits.memory).toMatch(/^(none|cgroup-v2)$/);
    bench.worker.input(order.thread, 'hello');
    await bench.worker.until('end', () => thread.texts.includes('end'));
    expect(thread.texts).toEqual([
      'up',
      'CapPrm: 0000000000000000',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      'lo',
      'out',
      'end',
    ]);
    const note = join(bench.agentDir(order), 'workspace', 'note');
    const uid = user.prefix.length > 0 ? USER : process.getuid?.();
    expect(execFileSync('stat', ['-c', '%u', note], { encoding: 'utf8' }).trim()).toBe(`${uid}`);
    // Held still, whether the engine can do it or not.
    const run = new RunDir(bench.agentDir(order), 1);
    const { thread: id, epoch } = order;
    bench.worker.order({ kind: 'freeze', thread: id, epoch, seq: 5, frozen: true });
    await bench.worker.until('taken', () => bench.worker.orders[1]?.taken === 1);
    await expect.poll(() => held(run)).toBe(true);
    bench.worker.order({ kind: 'stop', thread: id, epoch, graceMs: 0, inputs: [] });
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'stopped' });
  });
});
