import type { LanguageModel, ModelMessage } from 'ai';
import { type Answer, callModel } from './call.ts';
import type { Emit, LoopEvent, LoopOutcome } from './events.ts';
import type { Failure } from './failure.ts';
import { closingMessages, userMessage } from './history.ts';
import { RETRIES, type RetryPolicy, withRetries } from './retry.ts';
import { runTools } from './run-tools.ts';
import { summarise } from './summary.ts';
import type { LoopTool } from './tool.ts';
import { contextPct } from './usage.ts';
import type { Resumes } from './wait.ts';

export type LoopOptions = {
  readonly model: LanguageModel;
  readonly system: string;
  /** The history so far, which ends with what the model is to answer. It is not changed. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly LoopTool[];
  readonly emit: Emit;
  readonly signal: AbortSignal;
  /** Messages that came meanwhile. Asked for before each step, and before the end: some then make it go on. */
  readonly steer?: (when: 'step' | 'end') => readonly ModelMessage[];
  /** Whether a hand-off was asked for. */
  readonly handoffAsked?: () => boolean;
  /** Tokens. */
  readonly contextWindow: number;
  /** The part of the context at which the loop hands off. */
  readonly handoffAt?: number;
  readonly maxOutputTokens?: number;
  readonly maxSteps?: number;
  /** How often an answer that was cut off at its limit is gone on with. */
  readonly maxCuts?: number;
  /** Of one tool, as the model sees it. */
  readonly maxResultChars?: number;
  readonly retries?: RetryPolicy;
  /** Ends waits for a provider. */
  readonly resumes?: Resumes;
};

const CUT =
  'Your answer was cut off at the limit of its length. Go on where it ended, in smaller parts.';

/**
 * A model and its tools, until the model has no more to do. It never throws for what a model, a provider or a tool does;
 * whatever happens, the messages it told make a history that can be sent again.
 */
export async function runLoop(options: LoopOptions): Promise<LoopOutcome> {
  const { model, system, tools, signal, contextWindow, steer, handoffAsked } = options;
  const { handoffAt = 0.85, maxOutputTokens = 16_384, maxSteps = 200, maxCuts = 5 } = options;
  const { maxResultChars = 40_000, retries = RETRIES, resumes } = options;

  const history = [...options.messages];
  const emit = async (event: LoopEvent) => {
    if (event.type === 'message') history.push(event.message);
    await options.emit(event);
  };
  const add = async (messages: readonly ModelMessage[]) => {
    for (const message of messages) await emit({ type: 'message', message });
  };
  const handOff = async (): Promise<LoopOutcome> => {
    const call = { model, maxOutputTokens, emit, signal, contextWindow, retries, resumes };
    const summary = await summarise({ ...call, messages: history });
    if (summary.ok) return { outcome: 'handoff', summary: summary.text };
    if (summary.failure === null) return { outcome: 'interrupted' };
    return failedBy(summary.failure);
  };

  let said = '';
  let cuts = 0;
  for (let step = 1; step <= maxSteps; step += 1) {
    await add(closingMessages(history));
    await add(steer?.('step') ?? []);
    if (signal.aborted) return { outcome: 'interrupted' };
    if (handoffAsked?.() === true) return handOff();
    await emit({ type: 'step', step });

    const call = { model, system, messages: history, tools, maxOutputTokens, emit, signal };
    said = '';
    const tried = await withRetries(() => callModel(call, (text) => (said = text)), {
      policy: retries,
      emit,
      signal,
      resumes,
    });
    if (!tried.ok) {
      if (tried.failure === null) {
        if (said !== '') await add([{ role: 'assistant', content: said }]);
        return { outcome: 'interrupted' };
      }
      if (tried.failure.kind === 'overflow') return handOff();
      return failedBy(tried.failure);
    }

    const answer: Answer = tried.value;
    const pct = contextPct(answer.tokens, contextWindow);
    await emit({ type: 'usage', tokens: answer.tokens, contextPct: pct });
    await add(answer.messages);
    await runTools(answer.calls, { tools, emit, signal, maxResultChars });
    if (signal.aborted) return { outcome: 'interrupted' };

    cuts = answer.finishReason === 'length' ? cuts + 1 : 0;
    if (answer.calls.length === 0) {
      const late = steer?.('end') ?? [];
      if (late.length > 0) await add(late);
      else if (cuts > 0 && cuts <= maxCuts) await add([userMessage(CUT)]);
      else if (answer.finishReason === 'content-filter') {
        return { outcome: 'failed', reason: 'the provider held the answer back (content filter)' };
      } else return { outcome: 'done', text: answer.text };
    }
    if (pct >= handoffAt) return handOff();
  }
  return {
    outcome: 'failed',
    reason: `stopped after ${maxSteps} steps without an end; a message lets it go on`,
  };
}

function failedBy({ reason, retryAt }: Pick<Failure, 'reason' | 'retryAt'>): LoopOutcome {
  return { outcome: 'failed', reason, ...(retryAt !== undefined && { retryAt }) };
}
