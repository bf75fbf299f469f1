import { extensionRef, parseExtensionRef } from '@filepath/protocol/sky';

/** What the operator sets for extensions of every chat. */
export type ExtensionEnv = {
  /** Comma-separated: `sky.echo`, or `sky.echo@1.0.0`. Nothing unless named. */
  readonly LITECLAW_EXTENSIONS?: string;
  /** Where in R2 the list of the catalog is. */
  readonly LITECLAW_EXTENSIONS_CATALOG?: string;
};

export const catalogKey = ({ LITECLAW_EXTENSIONS_CATALOG: key }: ExtensionEnv): string =>
  key?.trim() || 'extensions/catalog.json';

export function allowedExtensions({ LITECLAW_EXTENSIONS: list = '' }: ExtensionEnv): string[] {
  return list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** A name alone allows each of its versions. */
export function isAllowed(env: ExtensionEnv, place: { name: string; version: string }): boolean {
  const ref = extensionRef(place);
  return allowedExtensions(env).some(
    (entry) => entry === ref || (parseExtensionRef(entry) === null && entry === place.name),
  );
}
