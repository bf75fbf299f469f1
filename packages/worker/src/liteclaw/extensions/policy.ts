import { FilepathError } from '@filepath/protocol';
import {
  type CatalogEntry,
  type ExtensionContent,
  extensionRef,
  parseExtensionRef,
} from '@filepath/protocol/sky';
import { z } from 'zod';
import { type ExtensionCatalog, ExtensionFault } from './catalog.ts';
import { wordsOf } from './loaded.ts';
import type { ExtensionRuntime } from './runtime.ts';
import { type ExtensionEnv, isAllowed } from './settings.ts';

/** An extension that a chat has, with the hash that it had then, and what is shown of it without reading it. */
export type Pinned = {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  readonly hooks: readonly string[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly access: 'read' | 'write';
    readonly label?: string;
  }[];
};

type Deps = {
  readonly env: ExtensionEnv;
  readonly catalog: ExtensionCatalog;
  readonly runtime: ExtensionRuntime;
};

/** Code is asked once what it has, when it is enabled: its hash holds it to that. */
const DESCRIBE_MS = 10_000;
const Described = z.object({ tools: z.array(z.string()), hooks: z.array(z.string()) });

/** Why an extension may not be, or what it is. */
export async function allowedContent(
  { env, catalog }: Pick<Deps, 'env' | 'catalog'>,
  place: { name: string; version: string },
  sha256: string | null,
  entries: readonly CatalogEntry[],
): Promise<{ entry: CatalogEntry; content: ExtensionContent }> {
  if (!isAllowed(env, place)) throw new ExtensionFault('the operator does not allow it');
  const entry = entries.find(
    ({ name, version }) => name === place.name && version === place.version,
  );
  if (!entry) throw new ExtensionFault('it is not in the catalog');
  if (sha256 !== null && entry.sha256 !== sha256)
    throw new ExtensionFault('the catalog has another hash of it than when it was enabled');
  return { entry, content: await catalog.content(entry) };
}

/** What a chat is to have from now on: all of it, or an error that names the first that may not be. */
export async function pin(deps: Deps, refs: readonly string[]): Promise<Pinned[]> {
  const entries = refs.length === 0 ? [] : await deps.catalog.list();
  const pinned: Pinned[] = [];
  const taken = new Set<string>();
  for (const ref of refs) {
    const place = parseExtensionRef(ref);
    if (!place) throw refused(ref, 'it names no version');
    try {
      const { entry, content } = await allowedContent(deps, place, null, entries);
      await demandDeclared(deps.runtime, content);
      const { tools, hooks } = content.manifest;
      const twice = tools.find(({ name }) => taken.has(name));
      if (twice) throw new ExtensionFault(`another has a tool ${twice.name} too`);
      for (const { name } of tools) taken.add(name);
      pinned.push({
        ...place,
        sha256: entry.sha256,
        hooks,
        tools: tools.map(({ name, description, access, ui }) => ({
          name,
          description,
          access,
          ...(ui && { label: ui.label }),
        })),
      });
    } catch (error) {
      if (error instanceof ExtensionFault) throw refused(extensionRef(place), error.message);
      throw error;
    }
  }
  return pinned;
}

/** The code has the tools and hooks that the manifest declares, and no others. */
async function demandDeclared(
  runtime: ExtensionRuntime,
  { manifest, code }: ExtensionContent,
): Promise<void> {
  if (code === null) return;
  const job = { code, kind: 'describe', name: '', input: 'null', fetches: false } as const;
  const ask = (): Promise<never> => Promise.reject(new Error('there is no web here'));
  const text = await runtime
    .call(job, { signal: AbortSignal.timeout(DESCRIBE_MS), ask })
    .catch((error: unknown) => {
      throw new ExtensionFault(`its code cannot be loaded: ${wordsOf(error)}`);
    });
  const has = Described.safeParse(JSON.parse(text));
  if (!has.success) throw new ExtensionFault('its code has no tools and no hooks');
  const declared = { tools: manifest.tools.map(({ name }) => name), hooks: manifest.hooks };
  for (const what of ['tools', 'hooks'] as const) {
    const more = has.data[what].find((name) => !declared[what].some((one) => one === name));
    if (more !== undefined)
      throw new ExtensionFault(
        `its code has ${more.slice(0, 100)}, which its manifest does not declare`,
      );
    const less = declared[what].find((name) => !has.data[what].includes(name));
    if (less !== undefined)
      throw new ExtensionFault(`its manifest declares ${less}, which its code does not have`);
  }
}

const refused = (ref: string, reason: string): FilepathError =>
  new FilepathError('bad_request', `${ref} cannot be enabled: ${reason}.`);
