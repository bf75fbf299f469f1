import { createHash } from 'node:crypto';
import { FILE_LIMITS, fileKey, FilepathError, KeptFile, ThreadId } from '@filepath/protocol';
import { z } from 'zod';
import { readBytes } from '../http/body.ts';
import { defineRoute, json, type Route } from '../http/route.ts';
import { notFound, unwrap } from '../result.ts';
import { fileAnswer, NameQuery, Sha256, shownFile } from './file-answer.ts';
import { mediaTypeOf } from './media-type.ts';
import { ThreadParams } from './parameters.ts';

const FileParams = z.object({ id: ThreadId, sha256: Sha256 });
const LinkParams = z.object({ threadId: ThreadId, sha256: Sha256 });

/** Files that a person sends to an agent with a message. */
export const fileRoutes: Route[] = [
  defineRoute(
    {
      method: 'POST',
      path: '/api/thread/:id/file',
      summary:
        'Keep a file for a message: the body is the file, of at most 10 MiB. Then a message names it in `attachments`. The same file again is kept once.',
      access: 'user',
      params: ThreadParams,
      responses: { 201: { description: 'Kept.', schema: z.object({ file: KeptFile }) } },
    },
    async ({ env, userId, params, request }) => {
      const thread = env.THREAD.getByName(params.id);
      if (!(await thread.allows(userId))) throw notFound('this thread');
      const bytes = await readBytes(request, FILE_LIMITS.bytes);
      if (bytes.length === 0) throw new FilepathError('bad_request', 'The file is empty.');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const type = mediaTypeOf(bytes, request.headers.get('content-type'));
      const file = { sha256, bytes: bytes.length, type };
      unwrap(await thread.fileRoom(userId, file));
      const key = fileKey(params.id, sha256);
      await env.BLOBS.put(key, bytes);
      const kept = await thread.keepFile(userId, file);
      // Deleted while it came: nobody would ever take it away.
      if (!kept.ok && !(await thread.allows(userId))) await env.BLOBS.delete(key);
      return json({ file: unwrap(kept) }, 201);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/thread/:id/file/:sha256',
      summary:
        'A file that was sent with a message. PNG, JPEG, GIF and WebP are shown; everything else is a download.',
      access: 'user',
      params: FileParams,
      query: NameQuery,
      responses: { 200: { description: 'The file.', contentType: 'application/octet-stream' } },
    },
    async ({ env, userId, params, query }) => {
      const file = unwrap(await env.THREAD.getByName(params.id).file(userId, params.sha256));
      return shownFile(env.BLOBS, fileKey(params.id, params.sha256), file, query.name);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/link/file/:threadId/:sha256',
      summary: 'A file that an agent was sent, for its runner.',
      access: 'runner',
      params: LinkParams,
      responses: { 200: { description: 'The file.', contentType: 'application/octet-stream' } },
    },
    async ({ env, runnerId, params: { threadId, sha256 } }) => {
      const file = unwrap(await env.THREAD.getByName(threadId).fileFor(runnerId, sha256));
      const headers = { 'content-type': 'application/octet-stream' };
      return fileAnswer(env.BLOBS, fileKey(threadId, sha256), file, headers);
    },
  ),
];
