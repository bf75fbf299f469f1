import { FilepathError } from '@filepath/protocol';
import {
  type CatalogEntry,
  EXTENSION_LIMITS,
  ExtensionCatalogFile,
  ExtensionContent,
  extensionRef,
} from '@filepath/protocol/sky';
import { notFound } from '../../result.ts';
import { nodeHashing } from '../../thread/node-hashing.ts';

type Place = { readonly name: string; readonly version: string };

const isAt =
  ({ name, version }: Place) =>
  (one: Place): boolean =>
    one.name === name && one.version === version;

/** Why an extension is not loaded. */
export class ExtensionFault extends Error {}

/** The extensions that there are, each version once and for good: a list, and the bytes of each by their hash. */
export class ExtensionCatalog {
  #blobs: R2Bucket;
  #key: string;

  constructor(blobs: R2Bucket, key: string) {
    this.#blobs = blobs;
    this.#key = key;
  }

  async list(): Promise<CatalogEntry[]> {
    return (await this.#read()).extensions;
  }

  /** The same again changes nothing; other bytes at the same version are refused. */
  async add(content: ExtensionContent, now: number): Promise<CatalogEntry> {
    const { extensions, etag } = await this.#read();
    const { name, version, description, tools, hooks } = content.manifest;
    const text = JSON.stringify(content);
    const sha256 = nodeHashing.sha256(text);
    const known = extensions.find(isAt({ name, version }));
    if (known && known.sha256 !== sha256)
      throw new FilepathError(
        'conflict',
        `${extensionRef(known)} is in the catalog with other content. Give it another version.`,
      );
    if (!known && extensions.length >= EXTENSION_LIMITS.catalog)
      throw new FilepathError(
        'cap_reached',
        `The catalog holds ${EXTENSION_LIMITS.catalog} versions. Remove one first.`,
      );
    await this.#blobs.put(contentKey(sha256), text);
    if (known) return known;
    const entry: CatalogEntry = {
      name,
      version,
      sha256,
      description,
      tools: tools.map((tool) => tool.name),
      hooks,
      added_at: new Date(now).toISOString(),
    };
    await this.#write([...extensions, entry], etag);
    return entry;
  }

  /** Chats that have it leave it out from their next answer on. */
  async remove(place: Place): Promise<void> {
    const { extensions, etag } = await this.#read();
    const found = extensions.find(isAt(place));
    if (!found) throw notFound(`${extensionRef(place)} in the catalog`);
    const rest = extensions.filter((one) => one !== found);
    await this.#write(rest, etag);
    if (!rest.some(({ sha256 }) => sha256 === found.sha256))
      await this.#blobs.delete(contentKey(found.sha256));
  }

  /** What is kept under a hash, if it is still what was hashed. */
  async content({ sha256, name, version }: CatalogEntry): Promise<ExtensionContent> {
    const kept = await this.#blobs.get(contentKey(sha256));
    if (!kept) throw new ExtensionFault('its content is gone from the catalog');
    const text = await kept.text();
    if (nodeHashing.sha256(text) !== sha256)
      throw new ExtensionFault('its content is not what the catalog has the hash of');
    const parsed = ExtensionContent.safeParse(JSON.parse(text));
    if (!parsed.success) throw new ExtensionFault('its manifest is not valid');
    if (!isAt({ name, version })(parsed.data.manifest))
      throw new ExtensionFault('its manifest is of another extension');
    return parsed.data;
  }

  async #read(): Promise<{ extensions: CatalogEntry[]; etag: string | null }> {
    const kept = await this.#blobs.get(this.#key);
    if (!kept) return { extensions: [], etag: null };
    const parsed = ExtensionCatalogFile.safeParse(await kept.json().catch(() => null));
    if (!parsed.success)
      throw new FilepathError('conflict', `The catalog at ${this.#key} cannot be read.`);
    return { extensions: parsed.data.extensions, etag: kept.etag };
  }

  async #write(extensions: CatalogEntry[], etag: string | null): Promise<void> {
    const file: ExtensionCatalogFile = { version: 1, extensions };
    const onlyIf = new Headers(
      etag === null ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` },
    );
    const written = await this.#blobs.put(this.#key, JSON.stringify(file), { onlyIf });
    if (written === null)
      throw new FilepathError('conflict', 'The catalog was changed meanwhile. Do it again.');
  }
}

const contentKey = (sha256: string): string => `extensions/content/${sha256}.json`;
