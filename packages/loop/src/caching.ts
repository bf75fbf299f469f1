import type { ModelMessage, SystemModelMessage } from 'ai';

const BREAKPOINT = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/**
 * Marks for Anthropic's prompt cache: the system prompt, which covers the tools before it, and the last two messages, so
 * that the next call reads what this one wrote. Other providers cache by themselves and do not see the marks.
 */
export function cachedSystem(system: string): SystemModelMessage {
  return { role: 'system', content: system, providerOptions: BREAKPOINT };
}

export function cachedMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const from = messages.length - 2;
  return messages.map((message, at) =>
    at < from
      ? message
      : { ...message, providerOptions: { ...message.providerOptions, ...BREAKPOINT } },
  );
}
