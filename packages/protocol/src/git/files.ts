import { z } from 'zod';

/** Most files of one answer. */
export const FILES_FOUND = 50;

/** Files of a workspace whose path holds what was asked for. */
export const FoundFiles = z.strictObject({
  files: z.array(z.string().min(1).max(4096)).max(FILES_FOUND),
  /** There are more. */
  truncated: z.boolean(),
});
export type FoundFiles = z.infer<typeof FoundFiles>;

/** Part of a path, in either case. */
export const FilesQuery = z.string().max(200);
