import {
  CatalogEntry,
  ExtensionCatalogList,
  ExtensionContent,
  ExtensionRemove,
  ExtensionsOfChat,
  ExtensionsPut,
  parseExtensionRef,
} from '@filepath/protocol/sky';
import type { Env } from '../env.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { ExtensionCatalog } from '../liteclaw/extensions/catalog.ts';
import { allowedExtensions, catalogKey } from '../liteclaw/extensions/settings.ts';
import { chatOf, demandChat } from '../liteclaw/spawn.ts';
import { notFound, unwrap } from '../result.ts';
import { ThreadParams } from './parameters.ts';

const ofChat = { 200: { description: 'The extensions of the chat.', schema: ExtensionsOfChat } };

/** Each needs the operator’s secret beside the sign-in. */
export const extensionRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/agents/chat/:id/extensions',
      summary: 'The extensions of the chat, and why one of them is left out of answers.',
      access: 'operator-person',
      params: ThreadParams,
      responses: ofChat,
    },
    async ({ env, userId, params }) => {
      const place = await demandChat(env, userId, params.id);
      return json(unwrap(await (await chatOf(env, place)).extensionsOf(null)));
    },
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/agents/chat/:id/extensions',
      summary:
        'Say which extensions the chat has, each as name@version. It holds at once, also for an answer that is being written.',
      access: 'operator-person',
      params: ThreadParams,
      body: ExtensionsPut,
      responses: {
        ...ofChat,
        400: {
          description:
            'One of them has no version, is not allowed, is not in the catalog, or is not what it declares: nothing was changed.',
        },
      },
    },
    async ({ env, userId, params, body }) => {
      const place = await demandChat(env, userId, params.id);
      return json(unwrap(await (await chatOf(env, place)).extensionsOf(body.enabled)));
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/agents/chat/:id/extensions/catalog',
      summary: 'The extensions that the instance has, and those that the operator allows.',
      access: 'operator-person',
      params: ThreadParams,
      responses: { 200: { description: 'The catalog.', schema: ExtensionCatalogList } },
    },
    async ({ env, userId, params }) => {
      await demandChat(env, userId, params.id);
      return json({ extensions: await catalogOf(env).list(), allow: allowedExtensions(env) });
    },
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/agents/chat/:id/extensions/catalog',
      summary: 'Put a version of an extension into the catalog: its manifest and its code.',
      access: 'operator-person',
      params: ThreadParams,
      body: ExtensionContent,
      responses: {
        200: { description: 'In the catalog, with its hash.', schema: CatalogEntry },
        409: { description: 'The version is there with other content, or the catalog is full.' },
      },
    },
    async ({ env, userId, params, body }) => {
      await demandChat(env, userId, params.id);
      return json(await catalogOf(env).add(body, Date.now()));
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/agents/chat/:id/extensions/catalog',
      summary: 'Take a version out of the catalog. Chats that have it leave it out.',
      access: 'operator-person',
      params: ThreadParams,
      body: ExtensionRemove,
      responses: {
        204: { description: 'It is not there any more.' },
        404: { description: 'There is no such version.' },
      },
    },
    async ({ env, userId, params, body }) => {
      await demandChat(env, userId, params.id);
      const place = parseExtensionRef(body.remove);
      if (!place) throw notFound('this extension');
      await catalogOf(env).remove(place);
      return noContent();
    },
  ),
];

const catalogOf = (env: Env): ExtensionCatalog => new ExtensionCatalog(env.BLOBS, catalogKey(env));
