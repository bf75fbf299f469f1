import type { ClientOptions } from './connection.ts';
import { createCore } from './core.ts';
import { createLiteclaw } from './liteclaw.ts';
import { createMemories } from './memories.ts';
import { createSettings } from './settings.ts';
import { createTunnels } from './tunnels.ts';

export type Client = ReturnType<typeof createClient>;

/** All of it. A page takes the parts that it needs. */
export function createClient(options: ClientOptions = {}) {
  return {
    ...createCore(options),
    ...createSettings(options),
    ...createMemories(options),
    ...createLiteclaw(options),
    ...createTunnels(options),
  };
}
