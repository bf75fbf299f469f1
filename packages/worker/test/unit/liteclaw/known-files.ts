import { createHash } from 'node:crypto';
import type { KeptFile } from '@filepath/protocol';
import type { KnownFiles } from '../../../src/liteclaw/files/file-parts.ts';

export const CHAT = 'th_0123456789abcdefghijklmnop';

export const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What a chat keeps, without its bucket. */
export const knownFiles = (...kept: readonly KeptFile[]): KnownFiles => ({
  chat: CHAT,
  hash,
  find: (sha256) => kept.find((one) => one.sha256 === sha256) ?? null,
  full: () => null,
});
