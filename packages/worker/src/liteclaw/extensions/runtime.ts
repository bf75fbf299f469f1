import { z } from 'zod';
import type { Env } from '../../env.ts';
import type { ToHost } from './host.ts';
import { type Ask, type ExtensionJob, OUTPUT, runIsolated } from './isolate.ts';

type Call = { readonly signal: AbortSignal; readonly ask: Ask };

/** Where code of extensions runs. */
export type ExtensionRuntime = {
  /** The JSON that the code gave back. Throws in words, and when the signal is aborted. */
  readonly call: (job: ExtensionJob, call: Call) => Promise<string>;
};

/** The engine's own host, a platform's loader of isolates, or nothing: then code is not run at all. */
export function runtimeOf({ EXTENSIONS, LOADER }: Env): ExtensionRuntime {
  if (EXTENSIONS) return { call: (job, call) => viaHost(EXTENSIONS, job, call) };
  if (LOADER)
    return {
      call: (job, { signal, ask }) =>
        Promise.race([runIsolated(LOADER, job, ask), aborted(signal).promise]),
    };
  return {
    call: () =>
      Promise.reject(new Error('This instance has nothing that runs code of extensions.')),
  };
}

const ENDED = 'Its code did not yield, or used too much memory, and was ended.';

const FromHostFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ask'), n: z.int(), request: z.string().max(256_000) }),
  z.object({ type: z.literal('done'), output: z.string().max(OUTPUT) }),
  z.object({ type: z.literal('failed'), message: z.string().max(2_000) }),
]);

/** A second engine, which can be ended without this one: code that never yields stops nothing but itself. */
async function viaHost(host: Fetcher, job: ExtensionJob, { signal, ask }: Call): Promise<string> {
  const { webSocket: socket } = await host
    .fetch('http://localhost/', { headers: { upgrade: 'websocket' }, signal })
    .catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new Error('The host of extensions is away. Try again.');
    });
  if (!socket) throw new Error('The host of extensions is away. Try again.');
  const ended = aborted(signal);
  const said = Promise.withResolvers<string>();
  const say = (frame: ToHost): void => socket.send(JSON.stringify(frame));
  const gone = (): void => said.reject(new Error(ENDED));
  socket.accept();
  socket.addEventListener('close', gone);
  socket.addEventListener('error', gone);
  socket.addEventListener('message', ({ data }) => {
    const read = FromHostFrame.safeParse(JSON.parse(String(data)));
    if (!read.success) said.reject(new Error('The host of extensions spoke of other things.'));
    else if (read.data.type === 'done') said.resolve(read.data.output);
    else if (read.data.type === 'failed') said.reject(new Error(read.data.message));
    else {
      const { n, request } = read.data;
      ask(request).then((text) => say({ type: 'answer', n, text }), gone);
    }
  });
  say({ type: 'call', job });
  try {
    return await Promise.race([said.promise, ended.promise]);
  } finally {
    ended.stop();
    said.promise.catch(() => undefined);
    socket.close(1000);
  }
}

function aborted(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const end = (): void => reject(new Error('It took too long, or was stopped.'));
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return { promise, stop: () => signal.removeEventListener('abort', end) };
}
