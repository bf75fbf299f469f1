import { createServer } from 'node:net';

import { EngineError, hasCode, messageOf } from './errors.ts';

/** Rejects with one sentence when the port cannot be listened on. Port 0 is always free. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw new EngineError(sentence(host, port, error), { cause: error });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function sentence(host: string, port: number, error: unknown): string {
  if (hasCode(error, 'EADDRINUSE')) {
    return `Port ${port} is taken by another program; set FILEPATH_PORT to a free one, for example FILEPATH_PORT=${port + 1}.`;
  }
  if (hasCode(error, 'EACCES')) {
    return `Port ${port} needs rights that this user does not have; set FILEPATH_PORT to one above 1023.`;
  }
  if (hasCode(error, 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN')) {
    return `The address ${host} is not one of this machine; set FILEPATH_HOST to one that is, for example 127.0.0.1.`;
  }
  return `Port ${port} on ${host} cannot be listened on (${messageOf(error)}); set FILEPATH_PORT or FILEPATH_HOST.`;
}
