import { EXTENSION_LIMITS, type ExtensionHook } from '@filepath/protocol/sky';
import { z } from 'zod';
import { type ExtensionParts, type Loaded, wordsOf } from './loaded.ts';

/** An answer waits this long for what its extensions do before it. */
const HOOK_MS = 2_000;

const Output = z.looseObject({ prompt: z.string().max(EXTENSION_LIMITS.hookPrompt).optional() });

/** Input of a hook, with what only some may see. */
type Given = Readonly<Record<string, unknown>>;
type Seen = { readonly input: Given; readonly messages?: Given; readonly args?: Given };

/** Tells extensions what happens in a run. Whatever they do, the answer goes on. */
export class Hooks {
  #loaded: readonly Loaded[];
  #parts: ExtensionParts;

  constructor(loaded: readonly Loaded[], parts: ExtensionParts) {
    this.#loaded = loaded;
    this.#parts = parts;
  }

  /** What each wants said in the system prompt, by its name. */
  async tell(hook: ExtensionHook, seen: Seen, signal: AbortSignal): Promise<[string, string][]> {
    const told = this.#loaded.filter(({ manifest }) => manifest.hooks.includes(hook));
    const said = await Promise.all(
      told.map(async (extension): Promise<[string, string]> => [
        extension.manifest.name,
        await this.#one(extension, hook, seen, signal),
      ]),
    );
    return said.filter(([, prompt]) => prompt !== '');
  }

  async #one(
    extension: Loaded,
    hook: ExtensionHook,
    { input, messages, args }: Seen,
    signal: AbortSignal,
  ): Promise<string> {
    const { runtime, counter, note, now } = this.#parts;
    const { manifest, code, ref } = extension;
    const { permissions } = manifest;
    const given = {
      ...input,
      ...(permissions.messages === true && messages),
      ...(permissions.tool_args === true && args),
    };
    const started = now();
    let failure: string | null = null;
    let prompt = '';
    try {
      const output = await runtime.call(
        { code, kind: 'hook', name: hook, input: JSON.stringify(given), fetches: false },
        {
          signal: AbortSignal.any([signal, AbortSignal.timeout(HOOK_MS)]),
          ask: () => Promise.reject(new Error('hooks have no web')),
        },
      );
      const read = Output.nullable().safeParse(JSON.parse(output));
      if (!read.success) failure = 'It gave back what no hook gives.';
      else if (read.data?.prompt !== undefined && permissions.prompt !== true)
        failure = 'It adds to the prompt, and its manifest does not ask for that.';
      else prompt = read.data?.prompt ?? '';
    } catch (error) {
      failure = wordsOf(error);
    }
    counter.add(manifest.name, {
      of: hook,
      ok: failure === null,
      ms: Math.max(0, now() - started),
    });
    if (failure !== null)
      note({ type: 'extension', what: 'failed', extension: ref, of: hook, reason: failure });
    return prompt;
  }
}
