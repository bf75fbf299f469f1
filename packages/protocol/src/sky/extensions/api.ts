import { z } from 'zod';
import { Hash } from '../values.ts';
import { EXTENSION_LIMITS, ExtensionName, ExtensionRef } from './manifest.ts';

/** A version of the catalog. `sha256` is over the bytes that are kept of it: its manifest and its code. */
export const CatalogEntry = z.strictObject({
  name: ExtensionName,
  version: z.string(),
  sha256: Hash,
  description: z.string(),
  tools: z.array(z.string()),
  hooks: z.array(z.string()),
  added_at: z.iso.datetime(),
});
export type CatalogEntry = z.infer<typeof CatalogEntry>;

/** The catalog as it is kept. */
export const ExtensionCatalogFile = z.strictObject({
  version: z.literal(1),
  extensions: z.array(CatalogEntry).max(EXTENSION_LIMITS.catalog),
});
export type ExtensionCatalogFile = z.infer<typeof ExtensionCatalogFile>;

export const ExtensionCatalogList = z.object({
  extensions: z.array(CatalogEntry),
  /** What the operator lets chats have: names, or names with versions. */
  allow: z.array(z.string()),
});

/** Which extensions a chat has, each at a version. */
export const ExtensionsPut = z.strictObject({
  enabled: z
    .array(ExtensionRef)
    .max(EXTENSION_LIMITS.enabled)
    .refine(
      (refs) => new Set(refs.map((ref) => ref.split('@')[0])).size === refs.length,
      'an extension is there twice',
    ),
});

export const ExtensionsOfChat = z.object({
  extensions: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      sha256: Hash,
      tools: z.array(z.string()),
      hooks: z.array(z.string()),
      /** Why it is left out of answers, or null. */
      refused: z.string().nullable(),
    }),
  ),
});
export type ExtensionsOfChat = z.infer<typeof ExtensionsOfChat>;

export const ExtensionRemove = z.strictObject({ remove: ExtensionRef });
