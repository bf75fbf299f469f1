import { FilepathError, Liteclaw, LiteclawImported, type LiteclawPost } from '@filepath/protocol';
import { ChatFile } from '@filepath/protocol/chat';
import { field, whole } from './answers.ts';
import { type ClientOptions, connectionOf } from './connection.ts';
import type { WebSocketLike } from './socket.ts';

/** The LiteClaw of the caller. */
export function createLiteclaw(options: ClientOptions = {}) {
  const { base, headers, send, openSocket, socketUrl } = connectionOf(options);
  return {
    /** The one chat that the caller has. */
    liteclaw: {
      get: async () => whole(await send('GET', '/api/liteclaw'), 'LiteClaw', Liteclaw),
      /** Each may be repeated. */
      post: async (action: LiteclawPost['action']) =>
        whole(await send('POST', '/api/liteclaw', { body: { action } }), 'LiteClaw', Liteclaw),
      /** For `LiveChat` of `@filepath/client/chat`: where it connects, and its transcript. */
      chat: (id: string) => ({
        open: (): WebSocketLike => openSocket(socketUrl(chat(id)), headers),
        read: (): Promise<Response> => send('GET', `${chat(id)}/get-messages`),
      }),
      /** Kept for a message that names its `ref`. */
      keepFile: async (id: string, file: Blob) =>
        field(await send('POST', `${chat(id)}/file`, { raw: file }), 'file', ChatFile),
      /** Where all of it is had, as lines of JSON. */
      exportUrl: (id: string): string => new URL(`${chat(id)}/export`, base).href,
    },

    /** The caller's LiteClaw as a file. */
    chat: {
      export: async (id: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> => {
        const { body } = await send('GET', `${chat(id)}/export`, { signal, unbounded: true });
        if (body) return body;
        throw new FilepathError('internal', `filepath answered the export of ${id} with no body.`);
      },
      import: async (id: string, file: Blob, signal?: AbortSignal) => {
        const answer = await send('POST', `${chat(id)}/import`, {
          raw: file,
          signal,
          unbounded: true,
        });
        return whole(answer, 'import', LiteclawImported);
      },
    },
  };
}

const chat = (id: string): string => `/agents/chat/${encodeURIComponent(id)}`;
