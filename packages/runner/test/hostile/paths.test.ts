import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, readSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withDirectory, withFile } from '../../src/beneath.ts';
import { headOf, looseCommit } from '../../src/git/loose.ts';
import { ended, git, repositoryOf } from '../repositories.ts';
import { later, message, tempDir } from '../setup.ts';
import { executors, hostileOrder } from './executors.ts';
import { hostCanary, open } from './host.ts';

const OF_HOST = `${'0'.repeat(40)} ${'a'.repeat(40)} a <a> 1 +0000\tcommit: of the host\n`;
const OF_AGENT = `${'0'.repeat(40)} ${'b'.repeat(40)} a <a> 1 +0000\tcommit: of the agent\n`;

/** Exchanges two names as fast as it can: each is always there, and is one or the other. */
const SWAP = `
use strict; my ($one, $other, $spare) = @ARGV;
while (1) { rename($one, $spare); rename($other, $one); rename($spare, $other); }`;

describe('T10: a path of which an agent has a part', () => {
  it('[GIT6] is read without following a link, however fast files and links change places', async () => {
    const root = tempDir();
    const host = tempDir();
    mkdirSync(join(root, '.git/logs'), { recursive: true });
    mkdirSync(join(host, 'logs'));
    writeFileSync(join(root, '.git/logs/HEAD'), OF_AGENT);
    writeFileSync(join(host, 'logs/HEAD'), OF_HOST);
    symlinkSync(join(host, 'logs'), join(root, '.git/other'));
    const names = ['logs', 'other', 'spare'].map((name) => join(root, '.git', name));
    const racer = spawn('/usr/bin/perl', ['-e', SWAP, ...names], { stdio: 'ignore' });
    const over = once(racer, 'exit');
    later(async () => {
      racer.kill('SIGKILL');
      await over;
    });
    const path = join(root, '.git/logs/HEAD');
    const buffer = Buffer.alloc(256);
    const counts = { agent: 0, none: 0, naive: 0 };
    for (let tries = 0; tries < 200_000; tries++) {
      const text = withFile(root, ['.git', 'logs', 'HEAD'], (fd) =>
        buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0)),
      );
      expect(text === null || text === OF_AGENT, text ?? '').toBe(true);
      counts[text === null ? 'none' : 'agent']++;
      try {
        if (readFileSync(path, 'utf8') === OF_HOST) counts.naive++;
      } catch {
        // Neither is there for a moment.
      }
      if (tries > 5000 && Math.min(...Object.values(counts)) > 50) break;
    }
    // The race was one: a reader that follows links was led to the host.
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });

  it('[GIT6] has no other name: `..`, a longer twin, an absolute path, a device', () => {
    const parent = tempDir();
    const root = join(parent, 'workspace');
    const twin = join(parent, 'workspace-twin');
    for (const dir of [root, twin]) mkdirSync(join(dir, '.git/refs/heads'), { recursive: true });
    const hash = 'c'.repeat(40);
    writeFileSync(join(twin, '.git/refs/heads/main'), `${hash}\n`);
    const refs = [
      '../../workspace-twin/.git/refs/heads/main',
      'refs/heads/../../../../workspace-twin/.git/refs/heads/main',
      'refs/heads/./main',
      'refs/heads//main',
      `refs/heads/${join(twin, '.git/refs/heads/main')}`,
      'refs/heads/main\0',
      'refs/heads/main/..',
    ];
    for (const ref of refs) {
      writeFileSync(join(root, '.git/HEAD'), `ref: ${ref}\n`);
      expect(headOf(root), ref).toBeNull();
    }
    symlinkSync(join(twin, '.git/refs/heads/main'), join(root, '.git/refs/heads/main'));
    writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    expect(headOf(root)).toBeNull();
    expect(headOf(twin)).toBeNull();
    writeFileSync(join(twin, '.git/HEAD'), 'ref: refs/heads/main\n');
    expect(headOf(twin)).toBe(hash);
    symlinkSync(root, join(parent, 'link'));
    expect(headOf(join(parent, 'link'))).toBeNull();
    symlinkSync('/dev/zero', join(root, 'zero'));
    expect(withFile(root, ['zero'], () => true)).toBeNull();
    expect(withFile('/dev', ['zero'], () => true)).toBeNull();
    expect(withDirectory(root, ['zero'], () => true)).toBeNull();
  });

  it('[GIT6] does not bring an object of the host, nor a false one, into sight', () => {
    const host = repositoryOf({ file: 'content\n' });
    const head = git(host, 'rev-parse', 'HEAD');
    const [dir, name] = [head.slice(0, 2), head.slice(2)];
    expect(looseCommit(host, head)).toMatchObject({ to: head, message: 'commit: first' });
    const root = tempDir();
    mkdirSync(join(root, '.git/objects'), { recursive: true });
    symlinkSync(join(host, '.git/objects', dir), join(root, '.git/objects', dir));
    expect(looseCommit(root, head)).toBeNull();
    const other = `${'d'.repeat(38)}`;
    mkdirSync(join(root, '.git/objects/dd'));
    cpSync(join(host, '.git/objects', dir, name), join(root, '.git/objects/dd', other));
    expect(looseCommit(root, `dd${other}`)).toBeNull();
  });
});

describe.each(executors)('T10: with $name', (executor) => {
  it('[GIT6] an agent that swaps its log for the host’s tells only of its own', async () => {
    const bench = await open(executor);
    const host = hostCanary();
    writeFileSync(join(host.dir, 'inner/HEAD'), OF_HOST);
    const before = host.tree();
    const order = hostileOrder(
      executor,
      `mkdir -p .git/logs; printf '${OF_AGENT.replace('\t', '\\t').replace('\n', '\\n')}' > .git/logs/HEAD
      ln -s ${host.dir}/inner .git/other
      cat > /tmp/swap <<'EOF'\n${SWAP}\nEOF
      timeout 60 perl /tmp/swap .git/logs .git/other .git/spare & echo swapping
      read line; echo again >> .git/logs/HEAD; read line; kill %1 2> /dev/null; kill $!; true`,
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('head', () => thread.observed.some(({ type }) => type === 'head'));
    bench.worker.input(order.thread, message('one'));
    bench.worker.input(order.thread, message('two'));
    await bench.worker.until('exit', () => thread.exit !== undefined);
    const told = thread.observed.flatMap((body) => (body.type === 'head' ? [body.message] : []));
    expect(told).toEqual(['of the agent']);
    expect(host.tree()).toEqual(before);
  });

  it('[GIT5] an agent’s folder is no repository, by whatever name; a twin of it is', async () => {
    const bench = await open(executor);
    const first = hostileOrder(
      executor,
      'git init -q .; git -c user.name=a -c user.email=a@a commit -q --allow-empty -m x',
    );
    await ended(bench, first);
    const agent = bench.agentDir(first);
    const link = join(tempDir(), 'link');
    symlinkSync(join(agent, 'workspace'), link);
    executor.share(link);
    const names = [
      join(agent, 'workspace'),
      `${bench.home}/agents/../agents/${basename(agent)}/workspace/.git`,
      `${bench.home}/mirrors/..//agents/./${basename(agent)}/workspace`,
      link,
      join(link, '.git'),
    ];
    for (const gitRepoUrl of names) {
      const thread = await ended(bench, hostileOrder(executor, 'true', { gitRepoUrl }));
      expect(thread.refused, gitRepoUrl).toMatch(/it belongs to an agent/);
    }
    const twin = `${bench.home}/agents-twin`;
    cpSync(repositoryOf({ file: 'content\n' }), twin, { recursive: true });
    executor.share(twin);
    const thread = await ended(bench, hostileOrder(executor, 'cat file', { gitRepoUrl: twin }));
    expect(thread.texts).toEqual(['content']);
  });
});
