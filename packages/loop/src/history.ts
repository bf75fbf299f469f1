import type { ModelMessage, ToolModelMessage } from 'ai';
import type { ToolResult } from './tool.ts';

export const INTERRUPTED = 'Interrupted before it ended: what it did by then is not known.';

export function userMessage(text: string): ModelMessage {
  return { role: 'user', content: text };
}

export function toolMessage(
  call: { readonly id: string; readonly name: string },
  result: ToolResult,
): ToolModelMessage {
  const output = {
    type: result.ok ? ('text' as const) : ('error-text' as const),
    value: result.text === '' ? '(no output)' : result.text,
  };
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: call.id, toolName: call.name, output }],
  };
}

/**
 * Results for the calls at the end of a history that have none, because whoever ran them ended first. Providers refuse a
 * history with an open call.
 */
export function closingMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const answered = new Set<string>();
  for (const message of messages.toReversed()) {
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type === 'tool-result') answered.add(part.toolCallId);
      }
    } else if (message.role === 'assistant' && typeof message.content !== 'string') {
      return message.content.flatMap((part) =>
        part.type === 'tool-call' && !answered.has(part.toolCallId)
          ? [
              toolMessage(
                { id: part.toolCallId, name: part.toolName },
                { ok: false, text: INTERRUPTED },
              ),
            ]
          : [],
      );
    } else {
      return [];
    }
  }
  return [];
}
