import { EXTENSION_LIMITS, extensionRef, type ExtensionsOfChat } from '@filepath/protocol/sky';
import type { Env } from '../../env.ts';
import { log } from '../../http/log.ts';
import type { Sql } from '../../storage/sql.ts';
import { readValue, writeValue } from '../../storage/values.ts';
import type { ClawTool } from '../tools/tool.ts';
import { ExtensionCatalog, ExtensionFault } from './catalog.ts';
import { type AllExtensionCounts, ExtensionCounter } from './counts.ts';
import { extensionTools } from './extension-tools.ts';
import { Hooks } from './hooks.ts';
import type { ExtensionParts, Loaded } from './loaded.ts';
import { allowedContent, pin, type Pinned } from './policy.ts';
import { runtimeOf } from './runtime.ts';
import { catalogKey } from './settings.ts';

type Deps = {
  readonly env: Env;
  readonly sql: Sql;
  readonly chat: string;
  /** Writes a row of the chat's log. */
  readonly note: (body: Record<string, unknown> & { type: string }) => void;
  /** Work that no answer waits for. */
  readonly keep: (work: Promise<unknown>) => void;
  readonly web: ClawTool;
};

type Asked = {
  readonly run: string;
  readonly message: { readonly id: string; readonly text: string } | null;
  readonly signal: AbortSignal;
};

type Ended = { readonly status: string; readonly output: string; readonly durationMs: number };

/** The extensions of one answer. */
export type RunExtensions = {
  /** For the system prompt; empty where there is nothing. */
  readonly prompt: string;
  readonly tools: readonly ClawTool[];
  readonly called: (name: string, args: unknown) => void;
  readonly complete: (end: Ended) => void;
};

const NONE: RunExtensions = { prompt: '', tools: [], called: () => {}, complete: () => {} };

/** Which extensions a chat has, and what they do in its answers. */
export class ChatExtensions {
  #deps: Deps;
  #catalog: ExtensionCatalog;
  #parts: ExtensionParts;

  constructor(deps: Deps) {
    const { env, sql } = deps;
    this.#deps = deps;
    this.#catalog = new ExtensionCatalog(env.BLOBS, catalogKey(env));
    this.#parts = {
      runtime: runtimeOf(env),
      counter: new ExtensionCounter(sql),
      now: Date.now,
      note: (body) => {
        if (body.what !== 'fetch')
          log('warn', `extension ${body.what}`, { ...body, chat: deps.chat });
        deps.note(body);
      },
    };
  }

  get pinned(): readonly Pinned[] {
    return readValue<Pinned[]>(this.#deps.sql, 'extensions') ?? [];
  }

  counts(): AllExtensionCounts {
    return this.#parts.counter.all();
  }

  async shown(): Promise<ExtensionsOfChat> {
    const { faults } = await this.#load();
    return {
      extensions: this.pinned.map((one) => ({
        name: one.name,
        version: one.version,
        sha256: one.sha256,
        tools: one.tools.map(({ name }) => name),
        hooks: [...one.hooks],
        refused: faults.get(one.name) ?? null,
      })),
    };
  }

  /** Holds from the next call on, also of an answer that is being written. */
  async set(refs: readonly string[]): Promise<ExtensionsOfChat> {
    const { env, sql, note } = this.#deps;
    const { runtime } = this.#parts;
    const pinned = await pin({ env, catalog: this.#catalog, runtime }, refs);
    sql.transaction(() => {
      writeValue(sql, 'extensions', pinned);
      const enabled = pinned.map((one) => ({ extension: extensionRef(one), sha256: one.sha256 }));
      note({ type: 'extensions', enabled });
    });
    return this.shown();
  }

  async begin({ run, message, signal }: Asked): Promise<RunExtensions> {
    if (this.pinned.length === 0) return NONE;
    const { keep, web } = this.#deps;
    const { loaded, faults } = await this.#load();
    this.#refuse(faults);
    const hooks = new Hooks(loaded, this.#parts);
    const input = { run_id: run };
    const ofMessage = message && { message_id: message.id };
    const said = await Promise.all([
      hooks.tell('onRunStart', { input }, signal),
      ofMessage
        ? hooks.tell(
            'onMessage',
            { input: { ...input, ...ofMessage }, messages: { text: message.text } },
            signal,
          )
        : [],
    ]);
    const standing = loaded.flatMap(({ manifest }): [string, string][] =>
      manifest.prompts ? [[manifest.name, manifest.prompts.system]] : [],
    );
    const isEnabled = (ref: string): boolean =>
      this.pinned.some((one) => extensionRef(one) === ref);
    const deps = { ...this.#parts, isEnabled, web };
    const never = new AbortController().signal;
    return {
      prompt: this.#prompt([...standing, ...said.flat()]),
      tools: loaded.flatMap((extension) => extensionTools(extension, deps)),
      called: (name, args) =>
        keep(
          hooks.tell('onToolCall', { input: { ...input, tool_name: name }, args: { args } }, never),
        ),
      complete: ({ status, output, durationMs }) =>
        keep(
          hooks.tell(
            'onRunComplete',
            { input: { ...input, status, duration_ms: durationMs }, messages: { output } },
            never,
          ),
        ),
    };
  }

  /** Those that may be, and why the others may not. */
  async #load(): Promise<{ loaded: Loaded[]; faults: Map<string, string> }> {
    const { env } = this.#deps;
    const catalog = this.#catalog;
    const faults = new Map<string, string>();
    const { pinned } = this;
    const entries = pinned.length === 0 ? [] : await catalog.list().catch(() => null);
    const all = await Promise.all(
      pinned.map(async ({ name, version, sha256 }): Promise<Loaded | null> => {
        try {
          if (entries === null) throw new ExtensionFault('the catalog cannot be read');
          const place = { name, version };
          const { content } = await allowedContent({ env, catalog }, place, sha256, entries);
          const { manifest, code } = content;
          return { ref: extensionRef(place), manifest, code: code ?? '' };
        } catch (error) {
          const reason = error instanceof ExtensionFault ? error.message : 'it cannot be read';
          faults.set(name, reason);
          return null;
        }
      }),
    );
    return { loaded: all.filter((one) => one !== null), faults };
  }

  #refuse(faults: ReadonlyMap<string, string>): void {
    for (const one of this.pinned) {
      const reason = faults.get(one.name);
      if (reason === undefined) continue;
      const { note, counter } = this.#parts;
      counter.refused(one.name);
      note({
        type: 'extension',
        what: 'refused',
        extension: extensionRef(one),
        of: 'load',
        reason,
      });
    }
  }

  #prompt(said: readonly (readonly [string, string])[]): string {
    let text = '';
    for (const [name, words] of said) {
      const part = `From the extension ${name}:\n${words}`;
      if (text.length + part.length + 2 > EXTENSION_LIMITS.prompts) {
        const reason = `Extensions add at most ${EXTENSION_LIMITS.prompts} characters to the prompt.`;
        const extension = name;
        this.#parts.note({ type: 'extension', what: 'refused', extension, of: 'prompt', reason });
      } else text += text === '' ? part : `\n\n${part}`;
    }
    return text;
  }
}
