import { type ExtensionJob, runIsolated } from './isolate.ts';

/** What the worker says to the host, and the host to the worker. One socket is one call. */
export type ToHost =
  | { readonly type: 'call'; readonly job: ExtensionJob }
  | { readonly type: 'answer'; readonly n: number; readonly text: string };
export type FromHost =
  | { readonly type: 'ask'; readonly n: number; readonly request: string }
  | { readonly type: 'done'; readonly output: string }
  | { readonly type: 'failed'; readonly message: string };

/** The worker of the second engine: it has a loader of isolates, and nothing that such an isolate could be after. */
export default {
  async fetch(request: Request, { LOADER }: { LOADER: WorkerLoader }): Promise<Response> {
    if (request.headers.get('upgrade') !== 'websocket') return new Response('alive');
    const { 0: client, 1: server } = new WebSocketPair();
    serve(server, LOADER);
    return new Response(null, { status: 101, webSocket: client });
  },
};

function serve(socket: WebSocket, loader: WorkerLoader): void {
  const waiting = new Map<number, (text: string) => void>();
  let asked = 0;
  const say = (frame: FromHost): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  const ask = (request: string): Promise<string> =>
    new Promise((resolve) => {
      asked += 1;
      waiting.set(asked, resolve);
      say({ type: 'ask', n: asked, request: String(request) });
    });
  const run = async (job: ExtensionJob): Promise<void> => {
    try {
      say({ type: 'done', output: await runIsolated(loader, job, ask) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      say({ type: 'failed', message: message.slice(0, 2_000) });
    }
  };
  socket.accept();
  socket.addEventListener('close', () => socket.close());
  socket.addEventListener('message', ({ data }) => {
    // Only the worker reaches this socket: the words are its own.
    const frame = JSON.parse(String(data)) as ToHost;
    if (frame.type === 'answer') {
      waiting.get(frame.n)?.(frame.text);
      waiting.delete(frame.n);
      return;
    }
    void run(frame.job);
  });
}
