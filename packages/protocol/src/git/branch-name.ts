import { z } from 'zod';

/** A branch that git takes on every system: no option, no ref expression, no name of a lock, no name of a ref. */
export const BranchName = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?!HEAD$|refs\/)(?!.*(?:\.\.|\/\/|\/\.|\.\/|\.lock(?:\/|$)))[A-Za-z0-9_][A-Za-z0-9_./+-]*(?<![./])$/,
    'expected a branch name of letters, digits and . _ / + -, which is not HEAD and does not begin with refs/',
  );
