import type { WireFormat } from '@filepath/protocol';
import { type Member, parsed, type Scanned, scanObject } from './json-scan.ts';

/** What the gateway reads of a request's body. Everything else in it is the provider's business. */
export type RequestBody = {
  readonly bytes: Uint8Array;
  readonly scanned: Scanned;
  readonly model: string;
  readonly stream: boolean;
  /** The limit of the answer that it asks for; null where it names none. */
  readonly limit: number | null;
  /** Answers asked for at once: each has the limit for itself. */
  readonly choices: number;
  /** Tokens that Anthropic's model may think with; the limit has to be above it. */
  readonly thinking: number;
  /** It refers to what the provider keeps, so that its size bounds nothing. */
  readonly refersElsewhere: boolean;
};

export type BadBody = { readonly problem: string };

const MAX_MODEL = 200;

/** Keys by which a limit is given, in each format. */
export const LIMITS_OF: Record<WireFormat, readonly string[]> = {
  anthropic: ['max_tokens'],
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  'openai-responses': ['max_output_tokens'],
};

const ELSEWHERE: Record<WireFormat, readonly string[]> = {
  anthropic: ['container'],
  'openai-chat': [],
  'openai-responses': ['previous_response_id', 'conversation', 'prompt'],
};

/** Parsers differ in which of two equal keys they believe. */
const READ_ONCE = new Set([
  ...['model', 'stream', 'stream_options', 'n', 'thinking'],
  ...Object.values(LIMITS_OF).flat(),
  ...Object.values(ELSEWHERE).flat(),
]);

export function readRequestBody(format: WireFormat, bytes: Uint8Array): RequestBody | BadBody {
  const scanned = scanObject(bytes);
  if (!scanned) return { problem: 'The body is not a JSON object.' };
  const seen = new Map<string, Member>();
  for (const member of scanned.members) {
    if (!READ_ONCE.has(member.key)) continue;
    if (seen.has(member.key)) return { problem: `The body has \`${member.key}\` more than once.` };
    seen.set(member.key, member);
  }
  const value = (key: string): unknown => {
    const member = seen.get(key);
    return member ? parsed(bytes, member.valueStart, member.valueEnd) : undefined;
  };
  const model = value('model') ?? '';
  if (typeof model !== 'string' || model.length > MAX_MODEL)
    return { problem: `\`model\` is not a name of at most ${MAX_MODEL} characters.` };
  const limits = LIMITS_OF[format].map(value).filter(isGiven);
  const choices = value('n') ?? 1;
  if (!limits.every(isWhole)) return { problem: 'The limit of the answer is not a whole number.' };
  if (!isWhole(choices) || choices < 1) return { problem: '`n` is not a whole number above 0.' };
  const positive = limits.filter((limit) => limit > 0);
  return {
    bytes,
    scanned,
    model,
    stream: value('stream') === true,
    limit: positive.length === 0 ? null : Math.max(...positive),
    choices,
    thinking: thinkingOf(value('thinking')),
    refersElsewhere: ELSEWHERE[format].some((key) => isGiven(value(key))),
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

function thinkingOf(thinking: unknown): number {
  if (typeof thinking !== 'object' || thinking === null) return 0;
  const budget: unknown = Reflect.get(thinking, 'budget_tokens');
  return isWhole(budget) ? budget : 0;
}
