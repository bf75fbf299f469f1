import { newSnapshotId, Snapshot, SnapshotId, ThreadId } from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { notFound, unwrap } from '../result.ts';
import {
  deleteSnapshots,
  findSnapshot,
  listSnapshots,
  openSnapshot,
  storeSnapshot,
} from '../snapshot/store.ts';
import { JobAccepted, ThreadParams } from './parameters.ts';

const OneParams = z.object({ snapshotId: SnapshotId });
const OfThreadParams = z.object({ id: ThreadId, snapshotId: SnapshotId });
const LinkParams = z.object({ threadId: ThreadId, snapshotId: SnapshotId });
const List = z.object({ snapshots: z.array(Snapshot) });
const ARCHIVE = { description: 'The archive.', contentType: 'application/x-tar' };

async function archive(env: Env, owner: string, id: SnapshotId): Promise<Response> {
  const found = await openSnapshot(env.BLOBS, owner, id);
  if (!found) throw notFound('this snapshot');
  return new Response(found.body, {
    headers: {
      'content-type': 'application/x-tar',
      'content-length': String(found.size),
      'content-disposition': `attachment; filename="${id}.tar"`,
      'cache-control': 'no-store',
    },
  });
}

/** The caller's snapshot; one of another thread is none of this one. */
async function owned(env: Env, user: string, id: SnapshotId, thread?: ThreadId): Promise<Snapshot> {
  const found = await findSnapshot(env.BLOBS, user, id);
  if (!found || (thread !== undefined && found.thread !== thread)) throw notFound('this snapshot');
  return found;
}

export const snapshotRoutes: Route[] = [
  defineRoute(
    {
      method: 'POST',
      path: '/api/thread/:id/snapshot',
      summary:
        "Make a snapshot of the agent's workspace. The thread says `snapshot` or `job_failed`.",
      access: 'user',
      params: ThreadParams,
      responses: { 202: { description: 'Ordered.', schema: JobAccepted } },
    },
    async ({ env, userId, params }) =>
      json(unwrap(await env.THREAD.getByName(params.id).snapshot(userId)), 202),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/thread/:id/snapshot',
      summary: "Snapshots of the agent's workspace, newest first.",
      access: 'user',
      params: ThreadParams,
      responses: { 200: { description: 'Snapshots.', schema: List } },
    },
    async ({ env, userId, params }) => {
      if (!(await env.THREAD.getByName(params.id).allows(userId))) throw notFound('this thread');
      return json({ snapshots: await listSnapshots(env.BLOBS, userId, params.id) });
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/thread/:id/snapshot/:snapshotId',
      summary: 'A snapshot as a tar archive.',
      access: 'user',
      params: OfThreadParams,
      responses: { 200: ARCHIVE },
    },
    async ({ env, userId, params }) => {
      const { id } = await owned(env, userId, params.snapshotId, params.id);
      return archive(env, userId, id);
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/thread/:id/snapshot/:snapshotId',
      summary: 'Delete a snapshot.',
      access: 'user',
      params: OfThreadParams,
      responses: { 204: { description: 'Deleted.' } },
    },
    async ({ env, userId, params }) => {
      const { id } = await owned(env, userId, params.snapshotId, params.id);
      await deleteSnapshots(env.BLOBS, userId, [id]);
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/snapshot',
      summary:
        'Bring a snapshot from elsewhere: the archive is the body, with its `Content-Length`. An agent is made from it with `snapshot`.',
      access: 'user',
      responses: { 201: { description: 'Kept.', schema: z.object({ snapshot: Snapshot }) } },
    },
    async ({ env, userId, request }) => {
      const arrival = { owner: userId, id: newSnapshotId(), thread: null, request, sha256: null };
      return json({ snapshot: await storeSnapshot(env.BLOBS, arrival) }, 201);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/snapshot',
      summary: 'All snapshots of the caller, newest first.',
      access: 'user',
      responses: { 200: { description: 'Snapshots.', schema: List } },
    },
    async ({ env, userId }) => json({ snapshots: await listSnapshots(env.BLOBS, userId, null) }),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/snapshot/:snapshotId',
      summary: 'A snapshot as a tar archive.',
      access: 'user',
      params: OneParams,
      responses: { 200: ARCHIVE },
    },
    async ({ env, userId, params }) => {
      const { id } = await owned(env, userId, params.snapshotId);
      return archive(env, userId, id);
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/snapshot/:snapshotId',
      summary: 'Delete a snapshot.',
      access: 'user',
      params: OneParams,
      responses: { 204: { description: 'Deleted.' } },
    },
    async ({ env, userId, params }) => {
      const { id } = await owned(env, userId, params.snapshotId);
      await deleteSnapshots(env.BLOBS, userId, [id]);
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/link/snapshot/:threadId/:snapshotId',
      summary:
        'The snapshot that a job made, from its runner, with its hash in `x-filepath-sha256`.',
      access: 'runner',
      params: LinkParams,
      responses: { 201: { description: 'Kept.', schema: z.object({ snapshot: Snapshot }) } },
    },
    async ({ env, runnerId, params, request }) => {
      const object = env.THREAD.getByName(params.threadId);
      const { snapshotId: id, threadId: thread } = params;
      const { owner } = unwrap(await object.awaitsSnapshot(runnerId, id));
      const sha256 = request.headers.get('x-filepath-sha256') ?? '';
      const arrival = { owner, id, thread, request, sha256 };
      const snapshot = await storeSnapshot(env.BLOBS, arrival);
      // Deleted while it came: nobody would ever take it away.
      const still = await object.awaitsSnapshot(runnerId, id);
      if (!still.ok) await deleteSnapshots(env.BLOBS, owner, [id]);
      unwrap(still);
      return json({ snapshot }, 201);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/link/snapshot/:threadId/:snapshotId',
      summary: "The snapshot that an agent's workspace is made from, for its runner.",
      access: 'runner',
      params: LinkParams,
      responses: { 200: ARCHIVE },
    },
    async ({ env, runnerId, params }) => {
      const { threadId, snapshotId } = params;
      const needs = await env.THREAD.getByName(threadId).needsSnapshot(runnerId, snapshotId);
      return archive(env, unwrap(needs).owner, snapshotId);
    },
  ),
];
