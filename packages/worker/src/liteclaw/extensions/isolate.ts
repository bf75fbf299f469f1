/** What is asked of an extension's code. */
export type ExtensionJob = {
  readonly code: string;
  /** `describe`: which tools and hooks the code has. */
  readonly kind: 'describe' | 'tool' | 'hook';
  readonly name: string;
  /** JSON. */
  readonly input: string;
  /** Whether it may ask the web, through whoever asks it. */
  readonly fetches: boolean;
};

/** A request for the web, and what came of it; both JSON. */
export type Ask = (request: string) => Promise<string>;

/** Characters of what code gives back. */
export const OUTPUT = 65_536;

/** On platforms that hold code to it. */
const CPU_MS = 2_000;
const MODULES = { main: 'main.js', extension: 'extension.js' };

/** Stands between the worker and the extension, in the isolate of the latter. */
const MAIN = `
import { WorkerEntrypoint } from 'cloudflare:workers';
import extension from './${MODULES.extension}';

export default class extends WorkerEntrypoint {
  async call(kind, name, input, ask) {
    const tools = extension?.tools ?? {};
    const hooks = extension?.hooks ?? {};
    if (kind === 'describe')
      return JSON.stringify({ tools: Object.keys(tools), hooks: Object.keys(hooks) });
    const all = kind === 'tool' ? tools : hooks;
    if (!Object.hasOwn(all, name) || typeof all[name] !== 'function')
      throw new Error('The code has no ' + kind + ' ' + name + '.');
    const context = ask ? { fetch: async (request) => JSON.parse(await ask(JSON.stringify(request))) } : {};
    const result = await all[name](JSON.parse(input), context);
    return JSON.stringify(result ?? null);
  }
}
`;

/** What the module above is, as its caller sees it. */
type Main = {
  call(kind: string, name: string, input: string, ask: Ask | null): Promise<unknown>;
};

/**
 * Runs code in an isolate of its own, made for this call: no binding, no network, nothing of an earlier call. Throws
 * in the words of the code; what comes back is JSON.
 */
export async function runIsolated(
  loader: WorkerLoader,
  { code, kind, name, input, fetches }: ExtensionJob,
  ask: Ask,
): Promise<string> {
  const worker = loader.load({
    compatibilityDate: '2026-07-30',
    mainModule: MODULES.main,
    modules: { [MODULES.main]: { js: MAIN }, [MODULES.extension]: { js: code } },
    env: {},
    globalOutbound: null,
    limits: { cpuMs: CPU_MS },
  });
  // The loader gives a plain stub; its methods are those of the module above.
  const main = worker.getEntrypoint() as unknown as Main;
  const output = await main.call(kind, name, input, fetches ? ask : null);
  if (typeof output !== 'string') throw new Error('The extension gave nothing back.');
  if (output.length > OUTPUT)
    throw new Error(`The extension gave more than ${OUTPUT} characters back.`);
  return output;
}
