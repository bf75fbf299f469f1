import { z } from 'zod';

/** A repository that git could list. */
export const RepositoryFound = z.strictObject({
  /** What its HEAD names; null where that is no branch. */
  branch: z.string().max(1024).nullable(),
  /** It has no commit yet. */
  empty: z.boolean(),
});
export type RepositoryFound = z.infer<typeof RepositoryFound>;

/** Whether a repository can be cloned: what was found, or why not. */
export const RepositoryCheck = z.discriminatedUnion('reachable', [
  RepositoryFound.extend({ reachable: z.literal(true) }),
  z.strictObject({ reachable: z.literal(false), reason: z.string() }),
]);
export type RepositoryCheck = z.infer<typeof RepositoryCheck>;
