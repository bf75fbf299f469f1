import type { Socket } from 'node:net';
import { Answer, answerOf, endWithAnswer } from './answers.ts';
import type { Reach } from './reach.ts';
import { parseAuthority } from './target.ts';

const TLS_PORT = 443;
/** The first byte of a TLS connection: a record of its handshake. */
const HANDSHAKE = 0x16;

/** CONNECT: bytes both ways between a client and the host it named. */
export async function tunnel(
  reach: Reach,
  authority: string,
  client: Socket,
  head: Buffer,
  idleMs: number,
): Promise<void> {
  client.on('error', () => undefined);
  let upstream: Socket;
  const target = parseAuthority(authority, null);
  try {
    if (target === null) throw new Answer(400, 'CONNECT takes a host and a port');
    upstream = await reach.open(target);
  } catch (error) {
    return endWithAnswer(client, answerOf(error));
  }
  const cut = (): void => {
    client.destroy();
    upstream.destroy();
  };
  if (client.destroyed) return cut();
  // What one side has said already still reaches the other.
  client.on('close', () => upstream.destroySoon());
  upstream.on('close', () => client.destroySoon());
  for (const socket of [client, upstream]) socket.setTimeout(idleMs, cut);
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  const begin = (first: Buffer): void => {
    if (target.port === TLS_PORT && first[0] !== HANDSHAKE) {
      reach.deny(target, NOT_TLS);
      return cut();
    }
    upstream.write(first);
    client.pipe(upstream);
  };
  // What comes back may come first: a server that greets is no less checked.
  upstream.pipe(client);
  if (head.length > 0) return begin(head);
  client.once('data', (first: Buffer) => {
    client.pause();
    begin(first);
  });
  client.once('end', () => upstream.end());
}

const NOT_TLS = {
  reason: `port ${TLS_PORT} carries TLS only`,
  hint: 'use https, or name another port of this host in network.allow',
};
