import { ThreadId } from '@filepath/protocol';
import { CHAT_FILE_LIMITS, ChatFile, chatFilePrefix } from '@filepath/protocol/chat';
import { z } from 'zod';
import { readBytes } from '../http/body.ts';
import { defineRoute, json, type Route } from '../http/route.ts';
import { chatOf, demandChat } from '../liteclaw/spawn.ts';
import { notFound, unwrap } from '../result.ts';
import { NameQuery, Sha256, shownFile } from './file-answer.ts';
import { ThreadParams } from './parameters.ts';

const FileParams = z.object({ id: ThreadId, sha256: Sha256 });

/** Files that a person gives with a message to the chat. */
export const chatFileRoutes: Route[] = [
  defineRoute(
    {
      method: 'POST',
      path: '/agents/chat/:id/file',
      summary:
        'Keep a file for a message: the body is the file, of at most 10 MiB, an image of at most 3.5. Then a part `file` of a message has its `ref` as `url`. What no message names within a day is deleted.',
      access: 'user',
      params: ThreadParams,
      responses: { 201: { description: 'Kept.', schema: z.object({ file: ChatFile }) } },
    },
    async ({ env, userId, params, request }) => {
      const place = await demandChat(env, userId, params.id);
      const bytes = await readBytes(request, CHAT_FILE_LIMITS.bytes);
      const chat = await chatOf(env, place);
      const kept = await chat.keepFile(bytes, request.headers.get('content-type'));
      return json({ file: unwrap(kept) }, 201);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/agents/chat/:id/file/:sha256',
      summary:
        'A file that was given with a message. PNG, JPEG, GIF and WebP are shown; everything else is a download.',
      access: 'user',
      params: FileParams,
      query: NameQuery,
      responses: { 200: { description: 'The file.', contentType: 'application/octet-stream' } },
    },
    async ({ env, userId, params: { id, sha256 }, query }) => {
      const chat = await chatOf(env, await demandChat(env, userId, id));
      const file = await chat.file(sha256);
      if (!file) throw notFound('this file');
      return shownFile(env.BLOBS, chatFilePrefix(id) + sha256, file, query.name);
    },
  ),
];
