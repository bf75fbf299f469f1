import { createServer } from 'node:net';
import { findInstance, homeOf } from './instance-file.ts';
import type { Io } from './io.ts';

/** An instance to talk to. `own` says that it was started for this command and ends with it. */
export type SomeInstance = { url: string; token: string; own: boolean; stop(): Promise<void> };

/** The running instance, or one that is started for as long as the command takes. */
export async function someInstance(io: Io): Promise<SomeInstance> {
  const found = findInstance(io.env);
  if (found !== null) return { ...found, own: false, stop: async () => {} };
  // Loaded only here: it brings the engine, which no other command needs.
  const { startInstance } = await import('./instance.ts');
  const host = '127.0.0.1';
  const started = await startInstance({
    home: homeOf(io.env),
    host,
    port: await freePort(host),
    quiet: false,
    env: io.env,
    onProgress: (line) => io.err(line),
  });
  return { url: started.url, token: started.token, own: true, stop: () => started.stop() };
}

/** A port of its own, so that the command does not stand in the way of a later start. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port: 0 }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
