import type { TokenCounts } from '@filepath/protocol';
import { type LanguageModel, type ModelMessage, streamText, tool, type ToolSet } from 'ai';
import { cachedMessages, cachedSystem } from './caching.ts';
import type { Emit } from './events.ts';
import { OpenTexts } from './open-texts.ts';
import type { ToolCall } from './run-tools.ts';
import type { LoopTool } from './tool.ts';
import { tokensOf } from './usage.ts';

// The SDK prints its warnings on the console, and stdout may be a protocol.
globalThis.AI_SDK_LOG_WARNINGS = false;

export type ModelCall = {
  readonly model: LanguageModel;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly LoopTool[];
  readonly maxOutputTokens: number;
  readonly emit: Emit;
  readonly signal: AbortSignal;
};

export type Answer = {
  /** Of the assistant; its calls have no results yet. */
  readonly messages: readonly ModelMessage[];
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason: string;
  readonly tokens: TokenCounts;
};

/** A stream in which nothing comes for so long is broken. */
const SILENCE = { firstChunkMs: 300_000, chunkMs: 180_000 };

/**
 * One call of the model, streamed. Throws what went wrong; text that came by then has been told as it is, and what an
 * interrupted call said is told to `partial`.
 */
export async function callModel(call: ModelCall, partial: (text: string) => void): Promise<Answer> {
  const result = streamText({
    model: call.model,
    instructions: cachedSystem(call.system),
    messages: cachedMessages(call.messages),
    tools: toolSet(call.tools),
    maxOutputTokens: call.maxOutputTokens,
    maxRetries: 0,
    abortSignal: call.signal,
    timeout: SILENCE,
    // Nothing is kept at the provider: the history that is sent is the whole of it.
    providerOptions: { openai: { store: false } },
    onError: () => undefined,
  });
  const texts = new OpenTexts(call.emit);
  const calls: ToolCall[] = [];
  try {
    for await (const part of result.stream) {
      if (part.type === 'text-delta') await texts.add(part.id, part.text);
      else if (part.type === 'text-end') await texts.end(part.id);
      else if (part.type === 'tool-input-start')
        await call.emit({ type: 'tool-input-start', id: part.id, name: part.toolName });
      else if (part.type === 'tool-input-delta')
        await call.emit({ type: 'tool-input-delta', id: part.id, delta: part.delta });
      else if (part.type === 'tool-call') calls.push(toolCall(part));
      else if (part.type === 'error') throw part.error;
      else if (part.type === 'abort')
        throw broken(part.reason ?? 'the model said nothing for too long');
    }
  } catch (error) {
    await texts.endAll();
    partial(texts.whole);
    throw error;
  }
  await texts.endAll();
  const step = await result.finalStep;
  if (step.finishReason === 'interrupted') throw broken('the answer broke off before its end');
  return {
    messages: step.response.messages.filter(({ role }) => role === 'assistant'),
    text: texts.whole,
    calls,
    finishReason: step.finishReason,
    tokens: tokensOf(step.usage),
  };
}

/** The loop runs tools itself: the SDK only tells the model of them. */
function toolSet(tools: readonly LoopTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]),
  );
}

function toolCall(part: {
  toolCallId: string;
  toolName: string;
  input: unknown;
  invalid?: boolean | undefined;
  error?: unknown;
}): ToolCall {
  const { toolCallId: id, toolName: name, input, invalid, error } = part;
  if (invalid !== true) return { id, name, input };
  return {
    id,
    name,
    input,
    fault: error instanceof Error ? error.message : 'the call is not valid',
  };
}

/** A call that is worth another try. */
function broken(message: string): Error {
  return Object.assign(new Error(message), { name: 'TimeoutError' });
}
