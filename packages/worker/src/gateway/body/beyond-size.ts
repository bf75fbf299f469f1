import type { WireFormat } from '@filepath/protocol';
import { chargedFor, providersTool, undescribedTools } from './charged.ts';
import { type Member, parsed } from './json-scan.ts';
import { ESCAPED, type Held, heldIn } from './prompt-parts.ts';

/** What a request leads a provider to read or to do that the size of its body does not bound. */
export type Beyond = Held & {
  /** A tool that the provider runs, in words: nothing bounds what the model reads of it. */
  readonly providersTool: string | null;
  /** It may write to a cache that keeps for an hour, which costs twice the input. */
  readonly hourCache: boolean;
};

/** Where a prompt stands. */
export const PROMPT_KEYS: readonly string[] = ['messages', 'input'];

/** What the provider keeps of calls before. */
export const ELSEWHERE_KEYS: Record<WireFormat, readonly string[]> = {
  anthropic: ['container'],
  'openai-chat': [],
  'openai-responses': ['previous_response_id', 'conversation', 'prompt'],
};

/** More than the description of a provider's own tool has. */
const DESCRIPTION = 1024;

/** The time of a cache as a string, and its letters spelled by their numbers. */
const HOUR = Buffer.from('"1h"');
const HIDDEN_HOUR = ['\\u0031', '\\u0068'].map((text) => Buffer.from(text));

export function beyondSize(
  format: WireFormat,
  bytes: Uint8Array,
  members: ReadonlyMap<string, Member>,
  value: (key: string) => unknown,
): Beyond {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const escaped = all.includes(ESCAPED);
  const held = PROMPT_KEYS.flatMap((key) => members.get(key) ?? []).map(
    ({ valueStart, valueEnd }) =>
      heldIn(all.subarray(valueStart, valueEnd), escaped, () =>
        parsed(bytes, valueStart, valueEnd),
      ),
  );
  const tools = value('tools');
  const kept = ELSEWHERE_KEYS[format].some((key) => (value(key) ?? null) !== null);
  return {
    added: held.reduce((sum, { added }) => sum + added, DESCRIPTION * undescribedTools(tools)),
    elsewhere: kept || held.some(({ elsewhere }) => elsewhere),
    charged: held.find(({ charged }) => charged !== null)?.charged ?? chargedFor(value),
    providersTool: providersTool(tools),
    hourCache: all.includes(HOUR) || (escaped && HIDDEN_HOUR.some((word) => all.includes(word))),
  };
}
