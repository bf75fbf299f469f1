import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  containerName,
  labelsOf,
  onceLabel,
  onceLabels,
} from '../../src/container/container-name.ts';
import { Home, RunDir } from '../../src/home.ts';
import { signal } from '../../src/proc.ts';
import { DENIED, numberOn } from '../../src/seccomp/syscalls.ts';
import { repositoryOf } from '../repositories.ts';
import { Bench, shellOrder, tempDir } from '../setup.ts';
import { BASE_IMAGE, containerOrder, containersOf, ended, testEngine } from './setup.ts';

const arch = process.arch === 'arm64' ? 'arm64' : 'x64';

/** `name: EPERM` and the like, by way of perl without its modules. */
const perl = (name: string, call: string): string =>
  `perl -e '$! = 0; my $r = ${call}; my $e = $! + 0;
    print "${name}: ", (defined $r && $r ne "-1" ? "done" : $e), "\\n"'`;

const lines = async (script: string): Promise<string[]> => {
  const bench = await Bench.open();
  return (await ended(bench, containerOrder(`export PERL_BADLANG=0; exec 2>&1; ${script}`))).texts;
};

describe('a container', () => {
  it('[CTR1] has a read-only root, room in /tmp, no capability and no way to more', async () => {
    const texts = await lines(
      `for place in / /usr /etc /home /var; do ( : > "$place/probe" ) 2> /dev/null && echo "open: $place"; done
      for place in /tmp /run /workspace /home/agent; do ( : > "$place/probe" ) 2> /dev/null || echo "shut: $place"; done
      grep -E '^(CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\t' ' '
      ls -a /run | tr '\\n' ' '; echo; cat /proc/sys/kernel/hostname; sh -c 'ulimit -n'`,
    );
    expect(texts).toEqual([
      'CapPrm: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      expect.stringMatching(/^\. \.\. (\.containerenv )?filepath probe $/),
      'agent',
      '1024',
    ]);
  });

  it('[CTR2] refuses every call that no agent needs, as the sandbox does', async () => {
    const names = Object.entries(DENIED).filter(([name]) => name !== 'open_tree_attr');
    const texts = await lines(
      [
        ...names.map(([name, numbers]) =>
          perl(name, `syscall(${numberOn(arch, numbers)}, 0, 0, 0, 0, 0)`),
        ),
        perl('TIOCSTI', 'ioctl(STDIN, 0x5412, my $c = "x")'),
        perl('TIOCSTI, high half set', `syscall(${arch === 'x64' ? 16 : 29}, 0, 0x100005412, 0)`),
        perl('packet', 'socket(my $s, 17, 3, 0)'),
        perl('vsock', 'socket(my $s, 40, 1, 0)'),
        perl('vsock, high half set', `syscall(${arch === 'x64' ? 41 : 198}, 0x100000028, 1, 0)`),
        perl('netlink audit', 'socket(my $s, 16, 3, 9)'),
        perl('netlink routes', 'socket(my $s, 16, 3, 0)'),
        perl('unix', 'socket(my $s, 1, 1, 0)'),
        perl('inet', 'socket(my $s, 2, 1, 0)'),
        perl('clone3', 'syscall(435, 0, 0)'),
        perl('new user namespace', `syscall(${arch === 'x64' ? 56 : 220}, 0x10000011, 0, 0, 0, 0)`),
      ].join('\n'),
    );
    expect(texts).toEqual([
      ...names.map(([name]) => `${name}: 1`),
      'TIOCSTI: 1',
      'TIOCSTI, high half set: 1',
      'packet: 1',
      'vsock: 1',
      'vsock, high half set: 1',
      'netlink audit: 1',
      'netlink routes: done',
      'unix: done',
      'inet: done',
      'clone3: 38',
      'new user namespace: 1',
    ]);
  });

  it('[CTR3] sees no file of the host but its workspace and home, and no other process', async () => {
    const canary = join(tempDir(), 'canary');
    writeFileSync(canary, 'canary', { mode: 0o644 });
    const texts = await lines(
      `cat ${canary} > /dev/null 2>&1 && echo readable; ls -d /proc/[0-9]* | grep -c .; ls /workspace /home/agent`,
    );
    expect(Number(texts[0])).toBeLessThan(6);
    expect(texts.slice(1)).toEqual(['/home/agent:', '/workspace:']);
  });

  it('[CTR4] runs the command of its image, with the variables of the image below its own', async () => {
    const bench = await Bench.open();
    const made = shellOrder('', { config: { dockerfile: 'Dockerfile' } });
    const repository = repositoryOf({
      Dockerfile: `FROM ${BASE_IMAGE}\nENV PATH=/opt/own:/usr/bin\nENTRYPOINT ["sh","-c"]\nCMD ["echo \\"$PATH $IMAGE_ENV $FILEPATH_TASK\\""]\n`,
    });
    const thread = await ended(bench, { ...made, gitRepoUrl: repository });
    expect(thread.refused).toBeUndefined();
    expect(thread.texts).toEqual(['/opt/own:/usr/bin image do it']);
    const other = shellOrder('', {
      config: { dockerfile: 'Dockerfile', command: ['sh', '-c', 'echo "$0 own"', 'my'] },
      gitRepoUrl: repository,
    });
    expect((await ended(bench, other)).texts).toEqual(['my own']);
  });

  it('[CTR5] is ended where the connection to its engine breaks: what it printed may not be whole', async () => {
    const bench = await Bench.open();
    const order = containerOrder('echo up; sleep 1000');
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'));
    const shim = bench.shim(order).pid;
    const engine = await testEngine();
    // Held still, the shim does not read; its container is taken away under it.
    signal(shim, 'SIGSTOP');
    await engine.remove(containerName(new RunDir(bench.agentDir(order), 1)));
    signal(shim, 'SIGCONT');
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'lost', code: null });
    expect(thread.exit?.stderr).toMatch(/connection to the container engine broke/);
  });

  it('[CTR6] that a kill left behind is taken away when the runner starts', async () => {
    const bench = await Bench.open({ idle: true });
    const engine = await testEngine();
    const order = containerOrder('true');
    const run = new RunDir(bench.agentDir(order), 1);
    mkdirSync(run.path, { recursive: true });
    await engine.create(containerName(run), {
      Image: BASE_IMAGE,
      Cmd: ['true'],
      Labels: labelsOf(run),
    });
    const { agents } = new Home(bench.home);
    const once = { Image: BASE_IMAGE, Cmd: ['sleep', '1000'], Labels: onceLabels(agents) };
    await engine.create(`${containerName(run)}-once`, once);
    expect(await containersOf(order)).toHaveLength(1);
    await bench.start();
    expect(await containersOf(order)).toEqual([]);
    expect(await engine.list(onceLabel(agents))).toEqual([]);
  });

  it('[RUN32] clones the repository without bubblewrap, with the git of its image', async () => {
    const bench = await Bench.open({ env: noBubblewrap() });
    const held = expect.stringMatching(/^cgroup-v[12]$/);
    expect(bench.runner?.executors).toMatchObject([
      { kind: 'sandbox', available: false },
      { kind: 'container', available: true, limits: { memory: held, pids: held, cpu: held } },
    ]);
    const gitRepoUrl = repositoryOf({ 'read.me': 'content\n' });
    const order = containerOrder('cat read.me; git log --format=%s; git branch --show-current', {
      gitRepoUrl,
    });
    const thread = await ended(bench, order);
    expect(thread.refused).toBeUndefined();
    expect(thread.texts).toEqual(['content', 'first', `filepath/${order.slug}`]);
  });

  it('[RUN32] is what a command runs in where there is no bubblewrap and an image is set', async () => {
    const bench = await Bench.open({
      env: { ...noBubblewrap(), FILEPATH_AGENT_IMAGE: BASE_IMAGE },
    });
    const thread = await ended(bench, shellOrder('echo "$IMAGE_ENV"'));
    expect(thread.texts).toEqual(['image']);
    expect(thread.observed.find((body) => body.type === 'started')).toMatchObject({
      executor: 'container',
    });
    const without = await Bench.open({ env: noBubblewrap() });
    const refused = await ended(without, shellOrder('echo up'));
    expect(refused.refused).toMatch(/bubblewrap is not installed/);
  });

  it('[RUN31] [RUN6] is ended by a runner that has nothing but the directory of its epoch', async () => {
    const bench = await Bench.open();
    const order = containerOrder('echo up; while :; do sleep 0.1; done');
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'));
    await bench.stop();
    writeFileSync(bench.runFile(order, 'order.json'), 'torn');
    writeFileSync(bench.runFile(order, 'executor'), '');
    await bench.start();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'lost' });
    await expect.poll(() => containersOf(order)).toEqual([]);
    expect(readFileSync(bench.runFile(order, 'executor'), 'utf8')).toBe('');
  });
});

/** Programs of this machine without bubblewrap. */
function noBubblewrap(): NodeJS.ProcessEnv {
  const dir = tempDir();
  const git = join(dir, 'git');
  writeFileSync(git, '#!/bin/sh\nexec /usr/bin/git "$@"\n', { mode: 0o755 });
  return { ...process.env, PATH: dir };
}
