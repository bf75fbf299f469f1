import { expect, it } from 'vitest';
import { BranchName } from '../src/index.ts';

it.each(['main', 'filepath/lead-1', 'HEADER', 'a/HEAD', 'refsx/y'])('[GIT21] takes %s', (name) => {
  expect(BranchName.safeParse(name).success).toBe(true);
});

it.each(['HEAD', 'refs/heads/z', '-x', 'a..b', 'a b', '@', 'x:y', 'a.lock'])(
  '[GIT21] refuses %s as a branch',
  (name) => {
    const { error } = BranchName.safeParse(name);
    expect(error?.issues[0]?.message).toContain('not HEAD');
  },
);
