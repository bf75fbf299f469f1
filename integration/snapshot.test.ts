import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LogEvent, Snapshot } from '@filepath/protocol';
import {
  Api,
  follow,
  git,
  type Instance,
  isType,
  makeRepo,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';

const One = z.object({ snapshot: Snapshot });
const Made = z.object({
  session: z.object({ id: z.string() }),
  node: z.object({ id: z.string() }),
});

const STATUS = `git status --porcelain=v2 --branch; git log --format='%H %s'; git fsck 2>&1; sha256sum *`;
const said = (text: string): string =>
  `{ ${text}; } 2>&1 | sed 's/.*/{"type":"text","content":"&"}/'`;
const textOf = (events: readonly LogEvent[]): unknown[] =>
  events.filter(isType('text')).map(({ body }) => Reflect.get(body as object, 'content'));

/** Most memory that a process has had, in MiB. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const isEnd = (event: LogEvent): boolean =>
  isType('snapshot')(event) || isType('job_failed')(event);

/** Makes a snapshot of this many MiB. Gives the longest wait for another answer meanwhile, in milliseconds. */
async function snapshotOf(instance: Instance, size: number): Promise<number> {
  const api = new Api(instance);
  const { node } = await api.agent(['sh', '-c', `head -c ${size}M /dev/urandom > big`]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  await api.call('POST', `/api/thread/${node.id}/snapshot`);
  const end = feed.until(isEnd);
  let slowest = 0;
  while (!feed.events.some(isEnd)) {
    const asked = performance.now();
    expect((await api.call('GET', '/api/health')).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - asked);
  }
  feed.close();
  expect((await end).body).toMatchObject({ type: 'snapshot' });
  return slowest;
}

async function brought(to: Instance, bytes: Buffer): Promise<Snapshot> {
  const response = await fetch(`${to.url}/api/snapshot`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/x-tar' },
    body: new Uint8Array(bytes),
  });
  expect(response.status).toBe(201);
  return One.parse(await response.json()).snapshot;
}

it('[SNAP2] a workspace goes from one instance to another, whole, and its agent goes on there', async () => {
  using dir = tempDir('filepath-repo');
  const repository = join(dir.path, 'repo');
  makeRepo(repository);
  await using from = await startInstance();
  await using to = await startInstance();
  const here = new Api(from);
  const script = `git config user.name a; git config user.email a@a; echo mine > mine; git add mine
    git commit -qm mine; echo changed >> README.md; head -c 4194304 /dev/urandom > big; ${said(STATUS)}`;
  const { node } = await here.agent(['sh', '-c', script], { gitRepoUrl: repository });
  const feed = follow(from, node.id);
  await here.message(node.id, 'go');
  expect((await feed.until(isType('exit'))).body).toMatchObject({ code: 0 });
  await here.json(z.object({ job: z.string() }), 'POST', `/api/thread/${node.id}/snapshot`);
  const ended = await feed.until(isEnd);
  feed.close();
  expect(ended.body).toMatchObject({ type: 'snapshot', manifest: { dirty: true } });
  const path = `/api/thread/${node.id}/snapshot`;
  const list = await here.json(z.object({ snapshots: z.array(Snapshot) }), 'GET', path);
  const [made] = list.snapshots;
  const archive = Buffer.from(await (await here.call('GET', `${path}/${made?.id}`)).arrayBuffer());
  expect(createHash('sha256').update(archive).digest('hex')).toBe(made?.sha256);
  const names = execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' });
  expect(names).toContain('workspace/mine');
  expect(archive.includes(from.home)).toBe(false);
  // The other instance has neither the repository nor the first one.
  git(dir.path, 'clone', '--quiet', '--bare', repository, 'kept.git');
  execFileSync('rm', ['-rf', repository]);
  await from.stop();

  const there = new Api(to);
  const { id: snapshot, sha256 } = await brought(to, archive);
  expect(sha256).toBe(made?.sha256);
  const config = { command: ['sh', '-c', said(STATUS)] };
  const root = { agentType: 'custom', config, snapshot };
  const { node: restored } = await there.json(Made, 'POST', '/api/session', { root });
  const second = follow(to, restored.id);
  await there.message(restored.id, 'go on');
  expect((await second.until(isType('exit'))).body).toMatchObject({ code: 0 });
  second.close();
  expect(textOf(second.events)).toEqual(textOf(feed.events));
  expect(textOf(second.events).length).toBeGreaterThan(5);
});

it('[SNAP7] a large snapshot is taken in piece by piece, and others are answered meanwhile', async () => {
  await using instance = await startInstance();
  await snapshotOf(instance, 16);
  const pids = [instance.pid, instance.enginePid()];
  const before = pids.map(peakOf);
  expect(await snapshotOf(instance, 128)).toBeLessThan(5_000);
  // Less than the archive is large.
  for (const [n, pid] of pids.entries()) expect(peakOf(pid) - (before[n] ?? 0)).toBeLessThan(112);
});

it('[SNAP6] an archive that leaves the workspace starts nothing, and says why', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { node } = await api.agent(['sh', '-c', 'ln -s a b']);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  await api.call('POST', `/api/thread/${node.id}/snapshot`);
  const { body } = await feed.until(isType('snapshot'));
  feed.close();
  const id = z.object({ snapshot: z.string() }).parse(body).snapshot;
  const archive = Buffer.from(await (await api.call('GET', `/api/snapshot/${id}`)).arrayBuffer());
  // The link now leads to the root; the checksum of its header is made right.
  const at = archive.indexOf('workspace/b');
  archive.write('/', at + 157);
  const sum = Number.parseInt(archive.toString('latin1', at + 148, at + 154), 8) + 47 - 97;
  archive.write(sum.toString(8).padStart(6, '0'), at + 148);
  const root = { agentType: 'custom', config: { command: ['true'] } };
  const { id: snapshot } = await brought(instance, archive);
  const made = await api.json(Made, 'POST', '/api/session', { root: { ...root, snapshot } });
  const refused = follow(instance, made.node.id);
  await api.message(made.node.id, 'go');
  const reason = await refused.until(isType('refused'));
  refused.close();
  expect(JSON.stringify(reason.body)).toContain('leads out of the workspace');
});
