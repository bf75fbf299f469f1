import { z } from 'zod';
import { parseAllowedHost } from '../api/network.ts';

/** What the tools of a chat may do. `read-only`: what changes nothing. */
export const ToolPolicy = z.enum(['none', 'read-only', 'read-write']);
export type ToolPolicy = z.infer<typeof ToolPolicy>;

/** Where the tools that work on files run: in the worker, in a sandbox of the runner, on the user's own machine. */
export const ToolExecutor = z.enum(['workers', 'container', 'tunnel']);
export type ToolExecutor = z.infer<typeof ToolExecutor>;

/** What the owner of a chat lets its tools do. */
export const LiteclawToolsPut = z.strictObject({
  policy: ToolPolicy,
  /** Of `read`, `edit`, `write` and `bash`; in the worker unless told. */
  executor: ToolExecutor.optional(),
  /** Hosts that `http.fetch` may ask: `example.com`, `*.example.com`, `example.com:8443`. None unless named. */
  allow: z
    .array(
      z
        .string()
        .max(320)
        .refine(
          (text) => parseAllowedHost(text) !== null,
          'expected a domain like example.com, *.example.com or example.com:8443',
        ),
    )
    .max(64)
    .default([]),
});
export type LiteclawToolsPut = z.infer<typeof LiteclawToolsPut>;

export const LiteclawTools = z.object({
  policy: ToolPolicy,
  executor: ToolExecutor,
  allow: z.array(z.string()),
  /** Of one run, set by the operator. */
  budget: z.object({ calls: z.int(), bytes: z.int(), seconds: z.int() }),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      /** Whether the policy lets it be called. */
      allowed: z.boolean(),
      /** A call of it can be replayed from an export. */
      deterministic: z.boolean(),
      /** How its extension wants it called on a page. */
      label: z.string().nullable(),
      /** The extension that brings it, with its version. */
      extension: z.string().nullable(),
    }),
  ),
});
export type LiteclawTools = z.infer<typeof LiteclawTools>;

const Snapshot = z.object({
  sha256: z.string(),
  files: z.int(),
  bytes: z.int(),
  at: z.iso.datetime(),
});
export type WorkspaceSnapshot = z.infer<typeof Snapshot>;

export const LiteclawWorkspace = z.object({
  /** Rises whenever its files become others at once: by a restore, by clearing, by its end. */
  generation: z.int(),
  files: z.array(z.object({ path: z.string(), bytes: z.int() })),
  /** When it is emptied unless it is used; null while it is empty. */
  expiresAt: z.iso.datetime().nullable(),
  snapshots: z.array(Snapshot),
});
export type LiteclawWorkspace = z.infer<typeof LiteclawWorkspace>;

export const LiteclawWorkspacePost = z.discriminatedUnion('action', [
  z.strictObject({ action: z.enum(['snapshot', 'clear']) }),
  z.strictObject({ action: z.literal('restore'), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
]);
export type LiteclawWorkspacePost = z.infer<typeof LiteclawWorkspacePost>;
