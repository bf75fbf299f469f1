import type { Sha256 } from '@filepath/protocol';

/** Synchronous hashing, injected: `node:crypto` in workerd and in tests. */
export type Hashing = {
  sha256: Sha256;
  stream(): { update(text: string): void; digest(): string };
};
