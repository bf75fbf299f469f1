import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';

/** An HTTP server on a free port of the loopback, ended by the end of a `using` block. */
export async function serve(listener: RequestListener): Promise<{ url: string } & Disposable> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
