import { createHash } from 'node:crypto';
import type { Hashing } from './hashing.ts';

export const nodeHashing: Hashing = {
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  stream: () => {
    const hash = createHash('sha256');
    return {
      update: (text) => {
        hash.update(text);
      },
      digest: () => hash.digest('hex'),
    };
  },
};
