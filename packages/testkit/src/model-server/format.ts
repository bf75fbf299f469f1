import type { TokenCounts } from '@filepath/protocol';
import type { ReadBody } from './request.ts';
import type { ToolCall, Turn } from './turn.ts';

/**
 * One event of a stream. `open` and `between` frame the parts, a `delta` carries a piece of the answer, `close` what
 * comes after all of it: reason, usage, the end.
 */
export type Frame = {
  readonly part: 'open' | 'delta' | 'between' | 'close';
  readonly text: string;
  /** It is the one that reports what the call has used. */
  readonly usage?: true;
};

/** An answer that is ready to be written in some format. */
export type Answer = {
  readonly id: number;
  readonly model: string;
  readonly turn: Turn;
  readonly calls: readonly (ToolCall & { readonly id: string })[];
  /** Null: it is left out. */
  readonly usage: TokenCounts | null;
};

export type ErrorWords = {
  readonly status: number;
  readonly message: string;
  readonly overflow: boolean;
};

/** One protocol of model providers. */
export type Format = {
  read(body: unknown): ReadBody;
  whole(answer: Answer): unknown;
  frames(answer: Answer, includeUsage: boolean): Frame[];
  error(error: ErrorWords): unknown;
  /** An error within a stream. */
  errorFrame(message: string): Frame;
};

/** The pieces of a text that become deltas. */
export function pieces(text: string, size: number | undefined): string[] {
  if (text === '') return [];
  if (!size || size >= text.length) return [text];
  const all = [...text];
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size).join(''),
  );
}

/** With a name for the event, as Anthropic and Responses send it; without, as Chat Completions does. */
export function sse(part: Frame['part'], data: unknown, event?: string): Frame {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return { part, text: `${name}data: ${JSON.stringify(data)}\n\n` };
}
