import { createHash, hash } from 'node:crypto';
import type { Hashing } from './hashing.ts';

export const nodeHashing: Hashing = {
  sha256: (text) => hash('sha256', text, 'hex'),
  stream: () => {
    const running = createHash('sha256');
    return {
      update: (text) => {
        running.update(text);
      },
      digest: () => running.digest('hex'),
    };
  },
};
