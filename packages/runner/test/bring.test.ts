import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bringBack, takePack } from '../src/git/bring.ts';
import { AgentLimits } from '../src/limits/agent-limits.ts';
import { commit, pushed } from './jobs.ts';
import { commitFiles, ended, git, repositoryOf } from './repositories.ts';
import { Bench, processesOf, shellOrder, tempDir } from './setup.ts';

const { signal } = new AbortController();
const exclusively = <T>(task: () => Promise<T>): Promise<T> => task();

/** A pack with everything that is reachable from these, and all else that is named. */
function packOf(repository: string, tip: string, ...objects: string[]): Buffer {
  const list = git(repository, 'rev-list', '--objects', '--no-object-names', tip);
  const input = `${[list, ...objects].join('\n')}\n`;
  const pack = execFileSync('git', ['pack-objects', '--stdout', '-q'], { cwd: repository, input });
  return Buffer.concat([Buffer.from(`${tip}\n`), pack]);
}

/** Takes bytes as if a sandbox had written them; gives the mirror back. */
async function taking(bytes: Buffer): Promise<{ mirror: string; outcome: string }> {
  const dir = tempDir();
  const mirror = join(dir, 'mirror.git');
  git('/', 'clone', '-q', '--bare', repositoryOf({ base: 'base\n' }), mirror);
  writeFileSync(join(dir, 'pack'), bytes);
  const fd = openSync(join(dir, 'pack'), 'r');
  const place = { slug: 'a-1', dir, uid: null };
  const env = process.env;
  const job = { env, limits: new AgentLimits(env), place, mirror, signal, exclusively };
  try {
    const outcome = await takePack(job, join(dir, 'checked.git'), fd).catch((error: unknown) =>
      String(error),
    );
    return { mirror, outcome };
  } finally {
    closeSync(fd);
  }
}

const has = (repository: string, object: string): boolean => {
  try {
    git(repository, 'cat-file', '-e', object);
    return true;
  } catch {
    return false;
  }
};

describe('a pack of an agent', () => {
  it('[GIT25] gives the mirror what its commit needs and nothing else that is in it', async () => {
    const repository = repositoryOf({ mine: 'mine\n' });
    const tip = git(repository, 'rev-parse', 'HEAD');
    writeFileSync(join(repository, 'junk'), 'junk\n');
    const junk = git(repository, 'hash-object', '-w', 'junk');
    const { mirror, outcome } = await taking(packOf(repository, tip, junk));
    expect(outcome).toBe(tip);
    expect(git(mirror, 'rev-parse', 'refs/filepath/a-1')).toBe(tip);
    expect(has(mirror, junk)).toBe(false);
    expect(git(mirror, 'fsck', '--strict', '--full')).toBe('');
  });

  it.each([
    ['is no pack', (tip: string) => Buffer.from(`${tip}\nnonsense`)],
    ['is cut short', (_: string, pack: Buffer) => pack.subarray(0, -30)],
    ['names no commit', (_: string, pack: Buffer) => Buffer.concat([Buffer.from('HEAD\n'), pack])],
    ['names a commit that is not in it', (_: string, pack: Buffer) => other(pack)],
    ['is empty', () => Buffer.alloc(0)],
  ])('[GIT25] that %s is refused and leaves no trace', async (_, change) => {
    const repository = repositoryOf({ mine: 'mine\n' });
    const tip = git(repository, 'rev-parse', 'HEAD');
    const { mirror, outcome } = await taking(change(tip, packOf(repository, tip)));
    expect(outcome).toMatch(/^Refusal: /);
    expect(has(mirror, tip)).toBe(false);
    expect(git(mirror, 'for-each-ref', 'refs/filepath')).toBe('');
  });

  const other = (pack: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${'a'.repeat(40)}\n`), pack.subarray(41)]);

  it.each([
    ['a folder .git', (blob: string) => `40000 .git\0${blob}`],
    ['a path that leaves', (blob: string) => `100644 ..\0${blob}`],
    ['a name twice', (blob: string) => `100644 a\0${blob}100644 a\0${blob}`],
  ])('[GIT25] with %s in a tree is refused', async (_, tree) => {
    const repository = repositoryOf({ mine: 'mine\n' });
    const raw = (hash: string): string => Buffer.from(hash, 'hex').toString('latin1');
    const inner = git(repository, 'rev-parse', 'HEAD^{tree}');
    const blob = git(repository, 'rev-parse', 'HEAD:mine');
    const bytes = Buffer.from(tree(raw(tree('').startsWith('4') ? inner : blob)), 'latin1');
    const write = (type: string, input: Buffer): string =>
      execFileSync('git', ['hash-object', '-w', '-t', type, '--literally', '--stdin'], {
        cwd: repository,
        input,
        encoding: 'utf8',
      }).trim();
    const hostile = write('tree', bytes);
    const tip = git(repository, 'commit-tree', '-m', 'hostile', hostile);
    const { mirror, outcome } = await taking(packOf(repository, tip));
    expect(outcome).toMatch(/^Refusal: .*fsck error/s);
    expect(has(mirror, tip)).toBe(false);
  });

  it('[GIT25] larger than the bound is refused while it is written', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    const script = `head -c 3000000 /dev/urandom > big; git add big
      git -c user.name=a -c user.email=a@a commit -q -m big`;
    const start = shellOrder(script, { gitRepoUrl });
    await ended(bench, start);
    await bench.stop();
    const dir = bench.agentDir(start);
    const limits = new AgentLimits(process.env);
    const uid = process.getuid?.() === 0 ? 20001 : null;
    const place = { slug: start.slug, dir, uid };
    const mirror = join(tempDir(), 'mirror.git');
    git('/', 'clone', '-q', '--bare', gitRepoUrl, mirror);
    const most = 100_000;
    const tools = { env: process.env, limits };
    const bring = bringBack({ ...tools, place, mirror, signal, exclusively, most });
    await expect(bring).rejects.toThrow('it is larger than 100000 bytes');
    expect(readdirSync(join(dir, 'jobs'))).toEqual([]);
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
  });
});

describe('git in a hostile workspace', () => {
  it('[GIT26] runs inside the sandbox only', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    const canary = join(tempDir(), 'canary');
    const hook = `#!/bin/sh\\ntouch ${canary} /workspace/ran; exit 1\\n`;
    const script = `${commit('mine')}
      printf '${hook}' > .git/evil; chmod +x .git/evil
      git config core.fsmonitor /workspace/.git/evil; git config core.pager /workspace/.git/evil
      git config core.alternateRefsCommand /workspace/.git/evil
      git config core.hooksPath /workspace/.git; cp .git/evil .git/reference-transaction
      git config uploadpack.packObjectsHook /workspace/.git/evil`;
    const start = shellOrder(script, { gitRepoUrl });
    const { texts } = await ended(bench, start);
    expect(await pushed(bench, start)).toMatchObject({ type: 'pushed', commit: texts[0] });
    expect(readdirSync(join(canary, '..'))).toEqual([]);
  });

  it('[GIT27] a path remote runs none of its hooks when it is pushed to', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    const canary = join(tempDir(), 'canary');
    for (const name of ['pre-receive', 'update', 'post-receive', 'post-update', 'evil']) {
      const file = join(gitRepoUrl, '.git', 'hooks', name);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    }
    const hooks = join(gitRepoUrl, '.git', 'hooks');
    git(gitRepoUrl, 'config', 'core.hooksPath', hooks);
    git(gitRepoUrl, 'config', 'core.fsmonitor', join(hooks, 'evil'));
    git(gitRepoUrl, 'config', 'core.alternateRefsCommand', join(hooks, 'evil'));
    const lender = repositoryOf({ b: 'b\n' });
    const alternates = join(gitRepoUrl, '.git', 'objects', 'info', 'alternates');
    writeFileSync(alternates, `${join(lender, '.git', 'objects')}\n`);
    const start = shellOrder(commit('mine'), { gitRepoUrl });
    await ended(bench, start);
    expect(await pushed(bench, start)).toMatchObject({ type: 'pushed' });
    expect(readdirSync(join(canary, '..'))).toEqual([]);
    // The same repository does run them for its owner.
    commitFiles(gitRepoUrl, { c: 'c\n' }, 'by its owner');
    expect(readdirSync(join(canary, '..'))).toEqual(['canary']);
  });
});
