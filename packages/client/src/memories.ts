import {
  Memory,
  type MemoryCreate,
  type MemoryPatch,
  type MemoryScope,
  MemoryStored,
} from '@filepath/protocol';
import { field, memoryList, type MemoryList, whole } from './answers.ts';
import { type ClientOptions, connectionOf, done } from './connection.ts';

export type MemoryQuery = {
  q?: string | undefined;
  scope?: MemoryScope | undefined;
  /** The URL of a repository, or how its memories name it. */
  repository?: string | undefined;
  limit?: number | undefined;
};

/** What is remembered for agents. */
export function createMemories(options: ClientOptions = {}) {
  const { send } = connectionOf(options);
  return {
    memory: {
      /** The newest; with `q` what fits best. */
      list: async (query: MemoryQuery = {}): Promise<MemoryList> => {
        const search = new URLSearchParams();
        for (const [name, value] of Object.entries(query)) {
          if (value !== undefined) search.set(name, String(value));
        }
        return memoryList(await send('GET', `/api/memories?${search.toString()}`));
      },
      /** The same again is renewed. */
      add: async (body: MemoryCreate) =>
        whole(await send('POST', '/api/memories', { body }), 'memory', MemoryStored),
      update: async (id: string, body: MemoryPatch) =>
        field(await send('PATCH', memory(id), { body }), 'memory', Memory),
      delete: async (id: string) => done(await send('DELETE', memory(id))),
    },
  };
}

const memory = (id: string): string => `/api/memories/${encodeURIComponent(id)}`;
