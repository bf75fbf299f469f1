import { LiteclawTunnel, type TunnelCreate, TunnelCreated } from '@filepath/protocol';
import { field, whole } from './answers.ts';
import { type ClientOptions, connectionOf, done } from './connection.ts';

/** Machines of the caller whose tools the LiteClaw may use. */
export function createTunnels(options: ClientOptions = {}) {
  const { send } = connectionOf(options);
  return {
    tunnel: {
      list: async () => field(await send('GET', TUNNELS), 'tunnels', LiteclawTunnel.array()),
      /** The only answer with the token. */
      create: async (body: TunnelCreate) =>
        whole(await send('POST', TUNNELS, { body }), 'tunnel', TunnelCreated),
      /** The same with another token; the old one is refused at once. */
      rotate: async (id: string) => {
        const answer = await send('POST', tunnel(id), { body: { action: 'rotate' } });
        return whole(answer, 'tunnel', TunnelCreated);
      },
      disconnect: async (id: string) =>
        done(await send('POST', tunnel(id), { body: { action: 'disconnect' } })),
      revoke: async (id: string) => done(await send('DELETE', tunnel(id))),
    },
  };
}

const TUNNELS = '/api/liteclaw/tunnels';
const tunnel = (id: string): string => `${TUNNELS}/${encodeURIComponent(id)}`;
