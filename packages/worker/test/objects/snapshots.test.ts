import { createHash } from 'node:crypto';
import { env, exports } from 'cloudflare:workers';
import {
  JobId,
  MANIFEST_BYTES,
  newSnapshotId,
  Snapshot,
  type SnapshotId,
  type SnapshotManifest,
  snapshotOfJob,
  type ThreadId,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ask,
  call,
  custom,
  logOf,
  message,
  newAgent,
  ORIGIN,
  OWNER,
  RUNNER,
} from './support/api.ts';
import { TestRunner } from './support/runner.ts';
import { signInAs } from './support/users.ts';

const MANIFEST: SnapshotManifest = {
  version: 1,
  slug: 'a-1',
  remote: null,
  branch: 'main',
  head: null,
  dirty: null,
  created: '2026-01-01T00:00:00.000Z',
  files: 1,
  bytes: 1,
  left: { special: 0, links: 0, unreadable: 0 },
};

/** A snapshot as far as the worker looks at it, with this many bytes after the manifest. */
function archive(more = 2048, manifest: unknown = MANIFEST): Buffer {
  const head = Buffer.alloc(512);
  head.write('filepath.json');
  head.write(MANIFEST_BYTES.toString(8).padStart(11, '0'), 124);
  const text = Buffer.from(JSON.stringify(manifest).padEnd(MANIFEST_BYTES));
  return Buffer.concat([head, text, Buffer.alloc(more, 7)]);
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function send(
  method: string,
  path: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<Response> {
  const length = { 'content-length': String(body.length) };
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: { ...length, ...headers },
    body: new Uint8Array(body),
  });
  return exports.default.fetch(request);
}

const List = z.object({ snapshots: z.array(Snapshot) });
const listOf = async (path: string): Promise<SnapshotId[]> =>
  List.parse(await ask(200, 'GET', path)).snapshots.map(({ id }) => id);

async function brought(bytes = archive()): Promise<Snapshot> {
  const response = await send('POST', '/api/snapshot', bytes, OWNER);
  expect(response.status).toBe(201);
  return z.object({ snapshot: Snapshot }).parse(await response.json()).snapshot;
}

/** An agent with a job that makes a snapshot. */
async function ordered(runner: TestRunner): Promise<{ thread: ThreadId; job: JobId }> {
  const { node } = await newAgent();
  await message(node.id);
  await runner.order(node.id);
  const body = await ask(202, 'POST', `/api/thread/${node.id}/snapshot`);
  const { job } = z.object({ job: JobId }).parse(body);
  expect(await runner.order(node.id)).toMatchObject({ kind: 'job', do: { type: 'snapshot' } });
  return { thread: node.id, job };
}

const upload = (thread: string, id: string, bytes: Buffer, sha256 = hashOf(bytes)) =>
  send('PUT', `/link/snapshot/${thread}/${id}`, bytes, { ...RUNNER, 'x-filepath-sha256': sha256 });

describe('[SNAP7] a snapshot that a runner made', () => {
  it('is kept with its hash, listed, had and deleted', async () => {
    const runner = await TestRunner.connect();
    const { thread, job } = await ordered(runner);
    const bytes = archive(300_000);
    const id = snapshotOfJob(job);
    expect((await upload(thread, id, bytes)).status).toBe(201);
    // The same job again: nothing is there twice.
    expect((await upload(thread, id, bytes)).status).toBe(201);
    const result = {
      type: 'snapshot',
      job,
      snapshot: id,
      sha256: hashOf(bytes),
      size: bytes.length,
      manifest: MANIFEST,
    };
    runner.socket.send({ t: 'done', thread, result });
    await runner.socket.until('stored');
    expect((await logOf(thread)).at(-1)).toMatchObject({ source: 'system', body: result });
    const path = `/api/thread/${thread}/snapshot`;
    expect(List.parse(await ask(200, 'GET', path)).snapshots).toEqual([
      { id, thread, sha256: hashOf(bytes), size: bytes.length, manifest: MANIFEST },
    ]);
    const had = await call(`${path}/${id}`, { headers: OWNER });
    expect(had.headers.get('content-type')).toBe('application/x-tar');
    expect(Buffer.from(await had.arrayBuffer()).equals(bytes)).toBe(true);
    await ask(204, 'DELETE', `${path}/${id}`);
    expect(await listOf(path)).toEqual([]);
    await ask(404, 'GET', `${path}/${id}`);
    expect((await env.BLOBS.list({ prefix: `snapshots/owner/${id}` })).objects).toEqual([]);
  });

  it('is refused when nobody asked for it, after its job, or of another agent', async () => {
    const runner = await TestRunner.connect();
    const { thread, job } = await ordered(runner);
    const { node: other } = await newAgent();
    const id = snapshotOfJob(job);
    expect((await upload(thread, newSnapshotId(), archive())).status).toBe(404);
    expect((await upload(other.id, id, archive())).status).toBe(404);
    const failed = { type: 'job_failed', job, work: 'snapshot', reason: 'no' };
    runner.socket.send({ t: 'done', thread, result: failed });
    await runner.socket.until('stored');
    expect((await upload(thread, id, archive())).status).toBe(404);
  });

  it('of which another hash was told is not kept', async () => {
    const { thread, job } = await ordered(await TestRunner.connect());
    const id = snapshotOfJob(job);
    const response = await upload(thread, id, archive(), '0'.repeat(64));
    expect(response.status).toBe(400);
    expect(await listOf(`/api/thread/${thread}/snapshot`)).toEqual([]);
    expect((await env.BLOBS.list({ prefix: `snapshots/owner/${id}` })).objects).toEqual([]);
  });

  it('that is stored stays as it is, whatever comes under its id', async () => {
    const { thread, job } = await ordered(await TestRunner.connect());
    const id = snapshotOfJob(job);
    const bytes = archive(70_000);
    expect((await upload(thread, id, bytes)).status).toBe(201);
    // One that is not what its hash says, one that is no snapshot, and another one.
    expect((await upload(thread, id, bytes, '0'.repeat(64))).status).toBe(409);
    expect((await upload(thread, id, Buffer.alloc(9000, 'x'))).status).toBe(409);
    expect((await upload(thread, id, archive(10))).status).toBe(409);
    expect((await upload(thread, id, archive(10), hashOf(bytes))).status).toBe(201);
    const path = `/api/thread/${thread}/snapshot`;
    expect(await listOf(path)).toEqual([id]);
    const had = await call(`${path}/${id}`, { headers: OWNER });
    expect(hashOf(Buffer.from(await had.arrayBuffer()))).toBe(hashOf(bytes));
  });

  it('of which two come at once is one of them, whole', async () => {
    const { thread, job } = await ordered(await TestRunner.connect());
    const id = snapshotOfJob(job);
    const both = [archive(70_000), archive(80_000)];
    const answers = await Promise.all(both.map((bytes) => upload(thread, id, bytes)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const kept = both.find((_, n) => answers[n]?.status === 201) ?? Buffer.alloc(0);
    const path = `/api/thread/${thread}/snapshot`;
    const { snapshots } = List.parse(await ask(200, 'GET', path));
    expect(snapshots).toMatchObject([{ id, sha256: hashOf(kept) }]);
    const had = await call(`${path}/${id}`, { headers: OWNER });
    expect(hashOf(Buffer.from(await had.arrayBuffer()))).toBe(hashOf(kept));
    expect((await env.BLOBS.list({ prefix: `snapshots/owner/${id}` })).objects).toHaveLength(2);
  });

  it('goes with its agent', async () => {
    const { thread, job } = await ordered(await TestRunner.connect());
    const id = snapshotOfJob(job);
    await upload(thread, id, archive());
    const prefix = `snapshots/owner/${id}`;
    expect((await env.BLOBS.list({ prefix })).objects).toHaveLength(2);
    await env.THREAD.getByName(thread).remove();
    const left = async () => (await env.BLOBS.list({ prefix })).objects;
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  });
});

describe('[SNAP8] a snapshot from elsewhere', () => {
  it('is kept with the hash of what came', async () => {
    const bytes = archive(70_000);
    const snapshot = await brought(bytes);
    expect(snapshot).toMatchObject({ thread: null, sha256: hashOf(bytes), size: bytes.length });
    expect(await listOf('/api/snapshot')).toContain(snapshot.id);
    const had = await call(`/api/snapshot/${snapshot.id}`, { headers: OWNER });
    expect(hashOf(Buffer.from(await had.arrayBuffer()))).toBe(snapshot.sha256);
    await ask(204, 'DELETE', `/api/snapshot/${snapshot.id}`);
    await ask(404, 'GET', `/api/snapshot/${snapshot.id}`);
  });

  it.each<[string, Buffer]>([
    ['text', Buffer.alloc(9000, 'x')],
    ['another version', archive(0, { ...MANIFEST, version: 2 })],
    ['more in its manifest', archive(0, { ...MANIFEST, evil: true })],
    ['a manifest that is no JSON', Buffer.from(archive()).fill('{', 512, 600)],
    ['nothing', Buffer.alloc(0)],
    ['a beginning', archive().subarray(0, 600)],
  ])('that is %s is a 400', async (_, bytes) => {
    expect((await send('POST', '/api/snapshot', bytes, OWNER)).status).toBe(400);
  });

  it('that is announced too large is refused before it is read', async () => {
    const headers = { ...OWNER, 'content-length': String(5 * 1024 ** 3) };
    const request = new Request(`${ORIGIN}/api/snapshot`, { method: 'POST', headers, body: 'x' });
    expect((await exports.default.fetch(request)).status).toBe(413);
  });

  it('is nobody else’s, neither to have nor to make an agent from', async () => {
    const { id } = await brought();
    const stranger = await signInAs('snapshots-stranger');
    for (const method of ['GET', 'DELETE']) {
      const response = await call(`/api/snapshot/${id}`, { method, headers: stranger });
      expect(response.status).toBe(404);
    }
    const list = await call('/api/snapshot', { headers: stranger });
    expect(await list.json()).toEqual({ snapshots: [] });
    const body = { root: { ...custom, snapshot: id } };
    const made = await call('/api/session', { method: 'POST', headers: stranger, body });
    expect(made.status).toBe(404);
  });
});

describe('[SNAP9] an agent from a snapshot', () => {
  it('is ordered with it, and its runner can have it, and no other', async () => {
    const runner = await TestRunner.connect();
    const bytes = archive();
    const { id, sha256, size } = await brought(bytes);
    const body = await ask(201, 'POST', '/api/session', { root: { ...custom, snapshot: id } });
    const { node, session } = z
      .object({ node: z.object({ id: z.string() }), session: z.object({ id: z.string() }) })
      .parse(body);
    await message(node.id as ThreadId);
    const order = await runner.order(node.id as ThreadId);
    expect(order).toMatchObject({ kind: 'start', snapshot: { id, sha256, size } });
    const had = await call(`/link/snapshot/${node.id}/${id}`, { headers: RUNNER });
    expect(hashOf(Buffer.from(await had.arrayBuffer()))).toBe(sha256);
    const other = await brought();
    const denied = await call(`/link/snapshot/${node.id}/${other.id}`, { headers: RUNNER });
    expect(denied.status).toBe(404);
    await ask(201, 'POST', `/api/session/${session.id}/node`, { ...custom, snapshot: other.id });
    await ask(404, 'POST', `/api/session/${session.id}/node`, {
      ...custom,
      snapshot: newSnapshotId(),
    });
  });
});
