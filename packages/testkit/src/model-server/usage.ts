import { addTokens, NO_TOKENS, type TokenCounts } from '@filepath/protocol';
import type { ToolCall, Turn } from './turn.ts';

/** A token for every four characters, begun ones counted. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

export function inputOf(call: ToolCall): string {
  return typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
}

/** What the answer is reported to have used: from the lengths, unless the turn says it. */
export function usageOf(turn: Turn, rawRequest: string): TokenCounts {
  const reasoning = tokensOf(turn.reasoning ?? '');
  const tools = (turn.tools ?? []).map((call) => tokensOf(call.name) + tokensOf(inputOf(call)));
  return {
    ...NO_TOKENS,
    input: tokensOf(rawRequest),
    output: reasoning + tokensOf(turn.text ?? '') + tools.reduce((sum, each) => sum + each, 0),
    reasoning,
    ...turn.usage,
  };
}

export function countOf(rawRequest: string): number {
  return tokensOf(rawRequest);
}

export function sumOf(counts: readonly TokenCounts[]): TokenCounts {
  return counts.reduce(addTokens, NO_TOKENS);
}
