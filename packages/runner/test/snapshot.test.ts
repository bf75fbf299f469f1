import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type JobResult,
  newSnapshotId,
  readSnapshotHead,
  snapshotOfJob,
  type SnapshotSource,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { jobSettings } from '../src/jobs/settings.ts';
import { checkSnapshot } from '../src/snapshot/restore.ts';
import { carriedOut, commit, jobOrder } from './jobs.ts';
import { ended, git, repositoryOf } from './repositories.ts';
import { Bench, processesOf, shellOrder, tempDir } from './setup.ts';
import { archive, streamOf } from './snapshot-archive.ts';

type Made = Extract<JobResult, { type: 'snapshot' }>;

/** Runs a script in a new workspace, then makes a snapshot of it. */
async function snapshotOf(bench: Bench, script: string, gitRepoUrl: string | null = null) {
  const start = shellOrder(script, { gitRepoUrl });
  const thread = await ended(bench, start);
  expect(thread.exit).toMatchObject({ code: 0 });
  const order = jobOrder(start, { type: 'snapshot' });
  const result = await carriedOut(bench, order);
  return { start, thread, result, bytes: bench.worker.snapshots.get(snapshotOfJob(order.id)) };
}

function made({ result, bytes }: { result: JobResult; bytes: Buffer | undefined }) {
  if (result.type !== 'snapshot' || bytes === undefined) throw new Error(JSON.stringify(result));
  return { result: result satisfies Made, bytes };
}

/** Makes the archive one that can be had. */
function offered(bench: Bench, bytes: Buffer): SnapshotSource {
  const id = newSnapshotId();
  bench.worker.snapshots.set(id, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { id, sha256, size: bytes.length };
}

const listOf = (bytes: Buffer): string[] =>
  execFileSync('tar', ['-tf', '-'], { input: bytes, encoding: 'utf8' }).trim().split('\n');

const STATUS = `git status --porcelain=v2 --branch; git log --format=%H; git stash list
  git fsck --full 2>&1 | grep -v dangling; find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | sort
  cat .git/objects/info/alternates 2>&1 | grep -c mirror; cat *`;

describe('a snapshot', () => {
  it('[SNAP1] is an archive with its manifest, its hash, and everything of the workspace', async () => {
    const bench = await Bench.open();
    const script = `mkdir -p a/b; echo 1 > a/b/c; ln a/b/c hard; ln -s a/b soft; chmod 755 a/b/c
      printf '\\377' > "$(printf 'n\\377\\nx')"; mkdir "${'l'.repeat(200)}"; touch "${'l'.repeat(200)}/f"`;
    const { start, ...rest } = await snapshotOf(bench, script);
    const { result, bytes } = made(rest);
    expect(result.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(result.size).toBe(bytes.length);
    expect(readSnapshotHead(bytes)).toEqual(result.manifest);
    expect(result.manifest).toMatchObject({ version: 1, slug: start.slug, files: 8, bytes: 5 });
    expect(result.manifest).toMatchObject({ head: null, dirty: null, remote: null });
    await checkSnapshot(streamOf(bytes));
    expect(listOf(bytes).slice(0, 4)).toEqual([
      'filepath.json',
      'workspace/',
      'workspace/a/',
      'workspace/a/b/',
    ]);
    expect(readdirSync(join(bench.agentDir(start), 'jobs'))).toEqual([`${result.job}.json`]);
  });

  it('[SNAP2] holds the commits that the workspace borrows, and restores to the same repository', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n', '.gitattributes': '* text=auto\n' });
    const script = `${commit('mine')} echo more >> a; echo new > b; git stash -q -u; echo staged > c
      git add c; echo later >> c; echo new > d; { ${STATUS}; } > /tmp/out; cat /tmp/out`;
    const { thread, ...rest } = await snapshotOf(bench, script, gitRepoUrl);
    const { result, bytes } = made(rest);
    expect(result.manifest).toMatchObject({
      remote: gitRepoUrl,
      head: thread.texts[0],
      dirty: true,
    });
    expect(result.manifest.branch).toMatch(/^filepath\//);
    expect(listOf(bytes).join('\n')).not.toContain('alternates');
    // Elsewhere: neither the repository nor its mirror is there.
    rmSync(gitRepoUrl, { recursive: true });
    const other = await Bench.open();
    const snapshot = offered(other, bytes);
    const restored = await ended(other, shellOrder(STATUS, { snapshot }));
    const before = thread.texts.slice(1).map((line) => (line === '1' ? '0' : line));
    expect(restored.texts).toEqual(before);
    expect(restored.observed.find(({ type }) => type === 'workspace')).toMatchObject({
      state: 'ready',
      detail: `restored from the snapshot ${snapshot.id}`,
    });
    expect(readdirSync(join(other.home, 'mirrors'))).toEqual([]);
  });

  it('[SNAP3] of a hostile workspace leaves the host alone and says what was left out', async () => {
    const bench = await Bench.open();
    const canary = join(tempDir(), 'canary');
    writeFileSync(canary, 'secret of the host');
    const script = `mkfifo pipe; ln -s ${canary} out; ln -s /etc/ssl root; ln -s ../../../etc up; ln -s x/../../y odd
      ln -s inside in; echo ok > inside; echo no > unreadable; chmod 0 unreadable
      mkdir shut; echo no > shut/x; chmod 0 shut
      perl -e 'use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("socket"))'
      i=0; while [ $i -lt 100 ]; do mkdir d; cd d; i=$((i + 1)); done; echo deep > f; cd /workspace
      git init -q .; git config core.fsmonitor 'touch ${canary}.ran; false'
      printf '#!/bin/sh\\ntouch ${canary}.ran\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/*`;
    const { result, bytes } = made(await snapshotOf(bench, script));
    expect(result.manifest.left).toEqual({ special: 2, links: 4, unreadable: 2 });
    expect(bytes.includes('secret of the host')).toBe(false);
    const names = listOf(bytes).filter((name) => !name.startsWith('workspace/.git/'));
    expect(names).toContain('workspace/in');
    expect(names).toContain(`workspace/${'d/'.repeat(100)}f`);
    for (const name of ['pipe', 'out', 'root', 'up', 'odd', 'unreadable', 'socket', 'shut/x']) {
      expect(names).not.toContain(`workspace/${name}`);
    }
    expect(readdirSync(join(canary, '..'))).toEqual(['canary']);
    await checkSnapshot(streamOf(bytes));
  });

  it('[SNAP3] of a file that grows and folders that come and go while it is made is whole', async () => {
    const bench = await Bench.open();
    const script = `trap 'exit 0' TERM; echo start > grows; echo go
      while :; do head -c 100000 /dev/zero >> grows; mkdir -p t; touch t/x; rm -rf t; truncate -s '<90000000' grows; done`;
    const start = shellOrder(script);
    bench.worker.order(start);
    await bench.worker.until('go', () => bench.worker.thread(start.thread).lines.length > 0);
    const order = jobOrder(start, { type: 'snapshot' });
    const result = await carriedOut(bench, order);
    const { bytes } = made({ result, bytes: bench.worker.snapshots.get(snapshotOfJob(order.id)) });
    await checkSnapshot(streamOf(bytes));
    expect(listOf(bytes)).toContain('workspace/grows');
  });

  it('[SNAP4] larger than FILEPATH_SNAPSHOT_MAX fails with what to do, and leaves nothing behind', async () => {
    const bench = await Bench.open({ env: { ...process.env, FILEPATH_SNAPSHOT_MAX: '1M' } });
    const { start, result } = await snapshotOf(bench, 'head -c 3000000 /dev/urandom > big');
    expect(result).toMatchObject({ type: 'job_failed', work: 'snapshot' });
    expect(JSON.stringify(result)).toContain('set FILEPATH_SNAPSHOT_MAX');
    expect(bench.worker.snapshots.size).toBe(0);
    expect(readdirSync(join(bench.agentDir(start), 'jobs'))).toEqual([`${result.job}.json`]);
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
    for (const text of ['1', '5G', 'x', '-1']) {
      expect(() => jobSettings({ FILEPATH_SNAPSHOT_MAX: text })).toThrow('FILEPATH_SNAPSHOT_MAX');
    }
  });

  it('[SNAP4] that the worker refuses fails in its words; one that is out of reach is tried again', async () => {
    const bench = await Bench.open();
    bench.worker.uploads.push(413);
    const refused = await snapshotOf(bench, 'true');
    expect(refused.result).toMatchObject({ type: 'job_failed', reason: 'no room for it' });
    bench.worker.uploads.push(503, 500);
    expect((await snapshotOf(bench, 'true')).result).toMatchObject({ type: 'snapshot' });
  });

  it('[GIT26] runs what the workspace makes git run under the limits of the agent', async () => {
    const bench = await Bench.open({ env: { ...process.env, FILEPATH_AGENT_PIDS: '32' } });
    const many = `#!/bin/sh\ni=0; while [ $i -lt 100 ]; do
      sleep 2 > /dev/null 2>&1 & i=$((i + 1)); echo $i > /workspace/.git/count; done\n`;
    const script = `git init -q .; printf '${many}' > .git/many; chmod +x .git/many
      git config core.fsmonitor /workspace/.git/many`;
    const { start } = await snapshotOf(bench, script);
    const count = join(bench.agentDir(start), 'workspace', '.git', 'count');
    expect(Number(readFileSync(count, 'utf8'))).toBeLessThan(32);
    await expect.poll(() => processesOf(bench.agentDir(start))).toEqual([]);
  });
});

describe('a workspace from a snapshot', () => {
  it.each([
    ['a link that leaves', archive({ path: 'workspace/a', kind: 'link', target: '/etc' })],
    ['no archive', Buffer.from('x'.repeat(10_000))],
    ['a file out of order', archive({ path: 'workspace/b' }, { path: 'workspace/a' })],
  ])('[SNAP6] with %s refuses the start, and nothing is half made', async (_, bytes) => {
    const bench = await Bench.open();
    const start = shellOrder('ls -A', { snapshot: offered(bench, bytes) });
    const thread = await ended(bench, start);
    expect(thread.refused).toContain('cannot be restored');
    const left = readdirSync(bench.agentDir(start));
    expect(left).not.toContain('workspace');
    expect(left).not.toContain('restore.tar');
  });

  it('[SNAP6] that is another one, gone or too large is refused', async () => {
    const bench = await Bench.open();
    const good = archive({ path: 'workspace/a', content: 'a' });
    const source = offered(bench, good);
    const changed = { ...source, sha256: '0'.repeat(64) };
    const one = await ended(bench, shellOrder('ls', { snapshot: changed }));
    expect(one.refused).toContain('its hash differs');
    const small = await ended(bench, shellOrder('ls', { snapshot: { ...source, size: 100 } }));
    expect(small.refused).toContain('larger than it should be');
    const gone = { ...source, id: newSnapshotId() };
    expect((await ended(bench, shellOrder('ls', { snapshot: gone }))).refused).toContain('404');
    const huge = { ...source, size: 2 ** 31 };
    const refused = await ended(bench, shellOrder('ls', { snapshot: huge }));
    expect(refused.refused).toContain('FILEPATH_SNAPSHOT_MAX');
    expect((await ended(bench, shellOrder('ls', { snapshot: source }))).texts).toEqual(['a']);
  });

  it('[SNAP6] is made once: a later start finds what the agent left', async () => {
    const bench = await Bench.open();
    const snapshot = offered(bench, archive({ path: 'workspace/a', content: 'a' }));
    const start = shellOrder('ls; rm a; echo > b', { snapshot });
    expect((await ended(bench, start)).texts).toEqual(['a']);
    const thread = bench.worker.thread(start.thread);
    Object.assign(thread, { epoch: 2, observed: [], lines: [], offset: 0 });
    expect((await ended(bench, { ...start, epoch: 2 })).texts).toEqual(['b']);
    expect(existsSync(join(bench.agentDir(start), 'mirror'))).toBe(false);
  });

  it('[SNAP6] can be pushed from when the session has a repository', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = join(tempDir(), 'remote.git');
    mkdirSync(gitRepoUrl);
    git('/', 'clone', '-q', '--bare', repositoryOf({ a: 'a\n' }), gitRepoUrl);
    const { bytes } = made(await snapshotOf(bench, commit('mine'), gitRepoUrl));
    const start = shellOrder('git rev-parse HEAD', { gitRepoUrl, snapshot: offered(bench, bytes) });
    const { texts } = await ended(bench, start);
    const work = { type: 'push' as const, repository: gitRepoUrl, force: false };
    const result = await carriedOut(bench, jobOrder(start, work));
    expect(result).toMatchObject({ type: 'pushed', commit: texts[0] });
    expect(git(gitRepoUrl, 'rev-parse', `filepath/${start.slug}`)).toBe(texts[0]);
    expect(readFileSync(join(bench.agentDir(start), 'workspace', 'a'), 'utf8')).toBe('a\n');
  });
});
