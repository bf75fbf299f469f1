import { z } from 'zod';
import { ThreadId } from '../ids.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Path = z.string().min(1).max(4096);
const ToolFile = z.strictObject({ path: Path, text: z.string().max(2 * 1024 * 1024) });
export type ToolFile = z.infer<typeof ToolFile>;

/** A call of a tool on the files of a chat, to be done in a sandbox. The files are all there are. */
export const ToolWork = z.strictObject({
  thread: ThreadId,
  tool: z.enum(['read', 'edit', 'write', 'bash']),
  args: z.unknown(),
  files: z.array(ToolFile).max(200),
});
export type ToolWork = z.infer<typeof ToolWork>;

/** What came of it, and what became of the files. */
export const ToolDone = z.strictObject({
  ok: z.boolean(),
  output: z.record(z.string(), z.unknown()),
  code: z.string().min(1).max(64).optional(),
  change: z
    .strictObject({
      path: Path,
      input_hash: Hash.nullable(),
      patch_hash: Hash,
      output_hash: Hash,
    })
    .optional(),
  changed: z.array(ToolFile).max(200),
  removed: z.array(Path).max(200),
});
export type ToolDone = z.infer<typeof ToolDone>;
