import { z } from 'zod';
import type { Conversation, Reply } from '../conversation.ts';

export type Answer = Reply & {
  readonly id: string;
  readonly tokens: { readonly input: number; readonly output: number };
};

/** One protocol in which the built-in model is asked. */
export type Format = {
  /** Throws if the body is none of this format. */
  read(body: unknown): Conversation;
  whole(answer: Answer): unknown;
  /** The body of a stream. */
  stream(answer: Answer): string;
  error(message: string): unknown;
};

/** Text, or parts of which some have text. */
export const Content = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().nullish() })),
]);

export function textOf(content: unknown): string {
  const read = Content.safeParse(content);
  if (!read.success) return '';
  if (typeof read.data === 'string') return read.data;
  return read.data.map(({ text }) => text ?? '').join('');
}

const PIECE = 48;

/** Pieces of a text, cut after spaces, as a model streams it. */
export function pieces(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${PIECE}}(?:\\s|$)|[\\s\\S]{1,${PIECE}}`, 'g')) ?? [];
}

export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
