import { z } from 'zod';

/** A branch that git takes on every system: no option, no ref expression, no name of a lock. */
export const BranchName = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?!.*(?:\.\.|\/\/|\/\.|\.\/|\.lock(?:\/|$)))[A-Za-z0-9_][A-Za-z0-9_./+-]*(?<![./])$/,
    'expected a branch name of letters, digits and . _ / + -',
  );
