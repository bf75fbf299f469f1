import type { ExtensionManifest } from '@filepath/protocol/sky';
import type { ExtensionCounter } from './counts.ts';
import type { ExtensionRuntime } from './runtime.ts';

/** An extension as it is for one answer. */
export type Loaded = {
  /** `sky.echo@1.0.0` */
  readonly ref: string;
  readonly manifest: ExtensionManifest;
  readonly code: string;
};

/** What was done with an extension, as a row of the chat's log. */
export type ExtensionNote = {
  readonly type: 'extension';
  readonly what: 'refused' | 'failed' | 'fetch';
  readonly extension: string;
  readonly of: string;
  readonly reason: string;
};

export type ExtensionParts = {
  readonly runtime: ExtensionRuntime;
  readonly counter: ExtensionCounter;
  readonly note: (note: ExtensionNote) => void;
  readonly now: () => number;
};

export const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 2_000);
