import { generateText, type LanguageModel, type ModelMessage } from 'ai';
import { failureOf } from './failure.ts';

export type WholeAnswer =
  | { readonly ok: true; readonly text: string }
  /** Null: it was interrupted. */
  | { readonly ok: false; readonly reason: string | null; readonly overflow: boolean };

/** One answer of a model in one piece, without tools: for where a stream does not come. */
export async function askWhole(call: {
  readonly model: LanguageModel;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}): Promise<WholeAnswer> {
  try {
    const { text } = await generateText({
      model: call.model,
      instructions: call.system,
      messages: [...call.messages],
      maxOutputTokens: call.maxOutputTokens,
      maxRetries: 1,
      abortSignal: call.signal,
      providerOptions: { openai: { store: false } },
    });
    return { ok: true, text };
  } catch (error) {
    if (call.signal.aborted) return { ok: false, reason: null, overflow: false };
    const { kind, reason } = failureOf(error);
    return { ok: false, reason, overflow: kind === 'overflow' };
  }
}
