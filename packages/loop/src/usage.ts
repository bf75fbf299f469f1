import type { TokenCounts } from '@filepath/protocol';
import type { LanguageModelUsage } from 'ai';

export function tokensOf(usage: LanguageModelUsage): TokenCounts {
  const cacheRead = usage.inputTokenDetails.cacheReadTokens ?? 0;
  const cacheWrite = usage.inputTokenDetails.cacheWriteTokens ?? 0;
  const input = (usage.inputTokens ?? 0) - cacheRead - cacheWrite;
  return {
    input: usage.inputTokenDetails.noCacheTokens ?? Math.max(0, input),
    output: usage.outputTokens ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: usage.outputTokenDetails.reasoningTokens ?? 0,
  };
}

/** How full the context is after a call: what was read and what was answered stay in it. */
export function contextPct(tokens: TokenCounts, window: number): number {
  const used = tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.output;
  return Math.min(1, used / window);
}
