// oxlint-disable-next-line import/default -- the build makes a module of the address of the worker
import workerUrl from './worker.ts?worker&url';
import type { Ask, Reply } from './worker.ts';

/** Grammars are read in a thread of their own: it takes seconds, and hostile code may keep one busy for ever. */
const PATIENCE_MS = 30_000;

type Policy = { createScriptURL: (url: string) => string };
type Policies = { createPolicy: (name: string, rules: Policy) => Policy };

let worker: Worker | null = null;
let last: Promise<unknown> = Promise.resolve();

/** The colours of code; null: it has none. One piece is read at a time. */
export function colours(ask: Ask): Promise<Reply> {
  const turn = last.then(() => askOnce(ask));
  last = turn;
  return turn;
}

function askOnce(ask: Ask): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const current = (worker ??= start());
  const stop = (): void => {
    current.terminate();
    worker = null;
    resolve(null);
  };
  const timer = setTimeout(stop, PATIENCE_MS);
  current.onmessage = (event: MessageEvent<Reply>) => resolve(event.data);
  current.onerror = stop;
  current.postMessage(ask);
  return promise.finally(() => clearTimeout(timer));
}

/** The page's policy lets this one script be a worker. */
const policy = ((): Policy => {
  const rules: Policy = {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new TypeError('no worker of this page');
      return url;
    },
  };
  const policies: Policies | undefined = Reflect.get(globalThis, 'trustedTypes');
  return policies?.createPolicy('filepath-worker', rules) ?? rules;
})();

function start(): Worker {
  return new Worker(policy.createScriptURL(workerUrl), { type: 'module' });
}
