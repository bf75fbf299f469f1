import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mirrors } from '../src/git/mirrors.ts';
import { Upkeep } from '../src/git/upkeep.ts';
import { Home } from '../src/home.ts';
import type { RunnerLog } from '../src/log.ts';
import { jobSettings } from '../src/jobs/settings.ts';
import { commit } from './jobs.ts';
import { commitFiles, ended, git, repositoryOf } from './repositories.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

const { signal } = new AbortController();
const progress = (): void => undefined;

/** A home with one mirror of this many packs. */
async function mirrored(packs: number) {
  const home = new Home(join(tempDir(), 'home'));
  const logs: RunnerLog[] = [];
  const log = (event: RunnerLog): void => void logs.push(event);
  const mirrors = new Mirrors(home, process.env);
  const upkeep = new Upkeep({ home, mirrors, env: process.env, log, days: 30 });
  const repository = repositoryOf({ a: '0\n' });
  const mirror = await mirrors.update({ repository, signal, progress });
  for (let n = 1; n < packs; n++) {
    commitFiles(repository, { a: `${n}\n` }, `${n}`);
    git(mirror.path, 'fetch', '-q', repository, '+refs/heads/main:refs/heads/main');
    git(mirror.path, 'repack', '-q', '-d');
  }
  return { home, mirrors, upkeep, repository, mirror, logs };
}

const packs = (path: string): number =>
  readdirSync(join(path, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;

const old = (path: string): void => {
  const time = new Date(Date.now() - 31 * 24 * 3_600_000);
  utimesSync(path, time, time);
};

describe('upkeep of mirrors', () => {
  it('[GIT28] makes one pack of many, and drops no object, reachable or not', async () => {
    const { mirror, upkeep, logs } = await mirrored(42);
    // What a force push left behind: borrowed by somebody, named by no ref.
    const before = git(mirror.path, 'rev-parse', 'refs/heads/main');
    git(mirror.path, 'update-ref', 'refs/heads/main', `${before}~20`);
    const objects = git(mirror.path, 'cat-file', '--batch-all-objects', '--batch-check');
    writeFileSync(join(mirror.path, 'objects', 'pack', 'tmp_pack_cut'), 'cut');
    expect(packs(mirror.path)).toBeGreaterThan(40);
    await upkeep.sweep();
    expect(logs.map(({ event }) => event)).toEqual(['mirror']);
    expect(packs(mirror.path)).toBe(1);
    expect(git(mirror.path, 'cat-file', '--batch-all-objects', '--batch-check')).toBe(objects);
    expect(readdirSync(join(mirror.path, 'objects', 'pack')).join()).not.toContain('tmp_');
    await upkeep.sweep();
    expect(logs).toHaveLength(1);
  });

  it('[GIT28] gives way to a fetch', async () => {
    const { mirrors, mirror, repository } = await mirrored(1);
    const gaveWay = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const upkeep = mirrors.inPassing(mirror.id, signal, (giveWay) => {
      giveWay.addEventListener('abort', () => gaveWay.resolve());
      began.resolve();
      return gaveWay.promise;
    });
    await began.promise;
    const update = await mirrors.update({ repository, signal, progress });
    expect(update.note).toBeNull();
    await upkeep;
  });

  it('[GIT29] removes a mirror that no home borrows from when it was unused for long', async () => {
    const { home, mirrors, mirror, upkeep, repository } = await mirrored(1);
    await upkeep.sweep();
    expect(existsSync(mirror.path)).toBe(true);
    old(mirrors.meta(mirror.id));
    mkdirSync(join(home.archive, 'gone-1-20260101T000000000Z'));
    const record = join(home.archive, 'gone-1-20260101T000000000Z', 'mirror');
    writeFileSync(record, `${mirror.id}\n`);
    await upkeep.sweep();
    expect(existsSync(mirror.path)).toBe(true);
    writeFileSync(record, `${'0'.repeat(32)}\n`);
    await mirrors.update({ repository, signal, progress });
    await upkeep.sweep();
    expect(existsSync(mirror.path)).toBe(true);
    old(mirrors.meta(mirror.id));
    mkdirSync(join(home.mirrors, `${'1'.repeat(32)}.gone`));
    await upkeep.sweep();
    expect(readdirSync(home.mirrors)).toEqual([]);
  });

  it('[GIT28] leaves workspaces whole, and forgets commits of agents whose homes are gone', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    const start = shellOrder(commit('mine'), { gitRepoUrl });
    await ended(bench, start);
    await bench.logged(start, 'job');
    await bench.stop();
    const id = readFileSync(join(bench.agentDir(start), 'mirror'), 'utf8').trim();
    const path = join(bench.home, 'mirrors', `${id}.git`);
    git(path, 'update-ref', 'refs/filepath/nobody-1', 'refs/heads/main');
    for (let n = 0; n < 41; n++) {
      commitFiles(gitRepoUrl, { a: `${n}\n` }, `${n}`);
      git(path, 'fetch', '-q', gitRepoUrl, '+refs/heads/main:refs/heads/main');
      git(path, 'repack', '-q', '-d');
    }
    await bench.start({ upkeepMs: 1 });
    await expect.poll(() => packs(path)).toBe(1);
    const names = git(path, 'for-each-ref', '--format=%(refname)', 'refs/filepath');
    expect(names).toBe(`refs/filepath/${start.slug}`);
    const script = 'git fsck --full --no-dangling 2>&1; git rev-list --count HEAD';
    const again = { ...start, epoch: 2, config: { command: ['sh', '-c', script] } };
    Object.assign(bench.worker.thread(start.thread), {
      epoch: 2,
      observed: [],
      lines: [],
      offset: 0,
    });
    expect((await ended(bench, again)).texts).toEqual(['2']);
  });

  it('[GIT28] looks at every name, however many agents there are', async () => {
    const { home, mirror, upkeep } = await mirrored(1);
    const slugs = Array.from({ length: 200 }, (_, n) => `${'a'.repeat(60)}-${n}`);
    for (const slug of slugs) mkdirSync(join(home.agents, slug));
    const head = git(mirror.path, 'rev-parse', 'refs/heads/main');
    const names = [...slugs, 'zzz-1'].map((slug) => `refs/filepath/${slug}`);
    const input = names.map((name) => `create ${name} ${head}\n`).join('');
    execFileSync('git', ['--git-dir', mirror.path, 'update-ref', '--stdin'], { input });
    await upkeep.sweep();
    const left = git(mirror.path, 'for-each-ref', '--format=%(refname)', 'refs/filepath');
    expect(left.split('\n')).toHaveLength(slugs.length);
    expect(left).not.toContain('zzz-1');
  });

  it.each(['0', '-1', 'x', '1.5'])('[GIT29] FILEPATH_MIRROR_DAYS=%s is refused', (text) => {
    expect(() => jobSettings({ FILEPATH_MIRROR_DAYS: text })).toThrow('FILEPATH_MIRROR_DAYS');
    expect(jobSettings({}).mirrorDays).toBe(30);
  });
});
