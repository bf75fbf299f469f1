import type { WireFormat } from '@filepath/protocol';
import { type Beyond, beyondSize, ELSEWHERE_KEYS, PROMPT_KEYS } from './beyond-size.ts';
import { CHARGED_KEYS } from './charged.ts';
import { type Member, parsed, type Scanned, scanObject } from './json-scan.ts';

/** What the gateway reads of a request's body. Everything else in it is the provider's business. */
export type RequestBody = {
  readonly bytes: Uint8Array;
  readonly scanned: Scanned;
  readonly model: string;
  readonly stream: boolean;
  /** The limit of the answer that it asks for; null where it names none. */
  readonly limit: number | null;
  /** The keys that name it. */
  readonly limitKeys: readonly string[];
  /** Answers asked for at once: each has the limit for itself. */
  readonly choices: number;
  /** Tokens that Anthropic's model may think with; the limit has to be above it. */
  readonly thinking: number;
  readonly beyond: Beyond;
};

export type BadBody = { readonly problem: string };

const MAX_MODEL = 200;

/** The newer of the two names of a chat's limit. */
export const NEWER = 'max_completion_tokens';

/** Keys by which a limit is given, in each format. */
export const LIMITS_OF: Record<WireFormat, readonly string[]> = {
  anthropic: ['max_tokens'],
  'openai-chat': [NEWER, 'max_tokens'],
  'openai-responses': ['max_output_tokens'],
};

/** Parsers differ in which of two equal keys they believe, and some do not tell large letters from small ones. */
const READ_ONCE = new Set([
  'model',
  'stream',
  'stream_options',
  'n',
  'thinking',
  'tools',
  ...PROMPT_KEYS,
  ...CHARGED_KEYS,
  ...Object.values(LIMITS_OF).flat(),
  ...Object.values(ELSEWHERE_KEYS).flat(),
]);

export function readRequestBody(format: WireFormat, bytes: Uint8Array): RequestBody | BadBody {
  const scanned = scanObject(bytes);
  if (!scanned) return { problem: 'The body is not a JSON object.' };
  const seen = new Map<string, Member>();
  for (const member of scanned.members) {
    const key = READ_ONCE.has(member.key) ? member.key : folded(member.key);
    if (!READ_ONCE.has(key)) continue;
    if (key !== member.key) return { problem: `The body spells \`${key}\` in another way.` };
    if (seen.has(key)) return { problem: `The body has \`${key}\` more than once.` };
    seen.set(key, member);
  }
  const value = (key: string): unknown => {
    const member = seen.get(key);
    return member ? parsed(bytes, member.valueStart, member.valueEnd) : undefined;
  };
  const model = value('model') ?? '';
  if (typeof model !== 'string' || model.length > MAX_MODEL)
    return { problem: `\`model\` is not a name of at most ${MAX_MODEL} characters.` };
  const given = LIMITS_OF[format].map((key) => ({ key, limit: value(key) })).filter(isGiven);
  const limitKeys = given.map(({ key }) => key);
  const limits = given.map(({ limit }) => limit);
  const choices = value('n') ?? 1;
  if (!limits.every(isWhole)) return { problem: 'The limit of the answer is not a whole number.' };
  if (!isWhole(choices) || choices < 1) return { problem: '`n` is not a whole number above 0.' };
  // What is no limit to one server is none at all to another.
  const limited = limits.length > 0 && limits.every((limit) => limit > 0);
  return {
    bytes,
    scanned,
    model,
    stream: value('stream') === true,
    limit: limited ? Math.max(...limits) : null,
    limitKeys,
    choices,
    thinking: thinkingOf(value('thinking')),
    beyond: beyondSize(format, bytes, seen, value),
  };
}

/** As those spell it who take any case: the long s and the sign for kelvin are letters too. */
const folded = (key: string): string => key.toUpperCase().toLowerCase();

const isGiven = ({ limit }: { readonly limit: unknown }): boolean =>
  limit !== undefined && limit !== null;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

function thinkingOf(thinking: unknown): number {
  if (typeof thinking !== 'object' || thinking === null) return 0;
  const budget: unknown = Reflect.get(thinking, 'budget_tokens');
  return isWhole(budget) ? budget : 0;
}
