import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import WebSocket, { WebSocketServer } from 'ws';

import type { Chance } from './seed.ts';

/** What is done to a frame on its way. */
export type Fault = 'pass' | 'cut-before' | 'cut-after' | 'twice' | 'late';

export type FaultProxy = {
  readonly url: string;
  /** How often each fault happened. */
  readonly count: Record<Fault, number>;
  calm(): void;
  close(): Promise<void>;
};

const LATE_MS = 20;

type Choose = (text: string, direction: 'up' | 'down') => Fault;

/** Faults by chance: about one frame in `every` suffers one. */
export function faultsBy(chance: Chance, every: number): Choose {
  const kinds: Fault[] = ['cut-before', 'cut-after', 'twice', 'late'];
  return () => (chance.below(every) === 0 ? (kinds[chance.below(kinds.length)] ?? 'pass') : 'pass');
}

/**
 * Stands between a runner and its worker. It cuts connections before or after a frame, sends frames twice,
 * and lets a frame be overtaken by the next one.
 */
export async function startFaultProxy(target: string, choose: Choose): Promise<FaultProxy> {
  const count: Record<Fault, number> = {
    pass: 0,
    'cut-before': 0,
    'cut-after': 0,
    twice: 0,
    late: 0,
  };
  let calm = false;
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });

  const join = (client: WebSocket, request: IncomingMessage): void => {
    const upstream = new WebSocket(`${target.replace('http', 'ws')}${request.url ?? '/'}`, {
      headers: { authorization: request.headers.authorization ?? '' },
    });
    const early: string[] = [];
    const cut = (): void => {
      client.terminate();
      upstream.terminate();
    };
    const relay = (to: WebSocket, direction: 'up' | 'down') => {
      let held: string | null = null;
      const release = (): void => {
        if (held !== null && to.readyState === WebSocket.OPEN) to.send(held);
        held = null;
      };
      return (text: string): void => {
        const fault = calm ? 'pass' : choose(text, direction);
        count[fault] += 1;
        if (fault === 'cut-before') {
          cut();
          return;
        }
        if (fault === 'late' && held === null) {
          held = text;
          // With nothing behind it that could overtake it, it is only late.
          setTimeout(release, LATE_MS);
          return;
        }
        to.send(text);
        if (fault === 'twice') to.send(text);
        release();
        if (fault === 'cut-after') cut();
      };
    };
    const up = relay(upstream, 'up');
    const down = relay(client, 'down');
    client.on('message', (data: Buffer) => {
      if (upstream.readyState === WebSocket.OPEN) up(data.toString());
      else early.push(data.toString());
    });
    upstream.on('open', () => {
      for (const text of early.splice(0)) up(text);
    });
    upstream.on('message', (data: Buffer) => {
      if (client.readyState === WebSocket.OPEN) down(data.toString());
    });
    for (const socket of [client, upstream]) {
      socket.on('close', cut);
      socket.on('error', cut);
    }
  };
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      join(client, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    count,
    calm: () => {
      calm = true;
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
