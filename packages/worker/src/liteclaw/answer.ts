import { askWhole, type ModelMessage, runLoop } from '@filepath/loop';
import type { LiteclawFailure } from '@filepath/protocol';
import { withoutImages } from './files/shown-files.ts';
import type { ModelSteps } from './model-steps.ts';
import type { LiteclawSettings } from './settings.ts';
import type { ToolRun } from './tools/tool-run.ts';
import type { TurnEnd } from './turns.ts';

/** One part of an answer in the words of the AI SDK's UI message stream. */
export type UiChunk = { readonly type: string; readonly [key: string]: unknown };

type Ask = {
  readonly model: Parameters<typeof askWhole>[0]['model'];
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly settings: LiteclawSettings;
  /** Aborted when the person stops it, or says something else. */
  readonly signal: AbortSignal;
  readonly write: (chunk: UiChunk) => void;
  /** Told of everything that the model says. */
  readonly steps: ModelSteps;
  /** Null: the chat has no tools. */
  readonly tools: ToolRun | null;
  readonly now: () => number;
};

/** An answer that no stream brings may take this long in one piece. */
const WHOLE_MS = 120_000;
/** Another try of a stream that broke off would say things twice: the whole answer is asked for instead. */
const NO_RETRIES = { attempts: 0, baseMs: 1, maxMs: 1, away: { forMs: 0, everyMs: 1 } };

type End = Pick<TurnEnd, 'outcome' | 'streamed'> & {
  readonly failure?: LiteclawFailure;
  readonly firstAt: number | null;
};

/**
 * One answer of the model, streamed; in one piece where the stream brings nothing in time or fails before its first
 * word. Ends with text, with a failure in words, or because it was stopped.
 */
export async function answer(ask: Ask): Promise<End> {
  const { model, system, messages, settings, signal, write, steps, tools, now } = ask;
  const { maxOutputTokens, maxContextTokens: contextWindow, firstByteMs } = settings;
  const texts = new Texts(write, now);
  const late = new AbortController();
  const timer = setTimeout(() => {
    if (texts.firstAt === null) late.abort();
  }, firstByteMs);
  const outcome = await runLoop({
    model,
    system,
    messages,
    tools: tools?.loopTools ?? [],
    emit: (event) => {
      if (event.type === 'step') steps.begin();
      if (event.type === 'usage') steps.complete(event.tokens);
      if (event.type === 'tool-input-start' || event.type === 'tool-start') texts.interrupt();
      tools?.hear(event);
      if (event.type !== 'text-delta') return;
      texts.add(event.id, event.delta);
      steps.delta(event.delta);
    },
    signal: AbortSignal.any([signal, late.signal]),
    contextWindow,
    maxOutputTokens,
    maxSteps: tools?.maxSteps ?? 1,
    maxCuts: 0,
    // What is said is summed up between turns, not within one.
    handoffAt: Number.POSITIVE_INFINITY,
    retries: NO_RETRIES,
  }).finally(() => clearTimeout(timer));
  texts.close();
  steps.cut();
  tools?.close();
  const { firstAt } = texts;
  if (signal.aborted) return { outcome: 'stopped', streamed: true, firstAt };
  if (firstAt !== null) {
    if (outcome.outcome === 'done' && outcome.text.trim() === '')
      return failed('empty', 'The model used its tools and then said nothing.', firstAt, true);
    if (outcome.outcome === 'done') return { outcome: 'ok', streamed: true, firstAt };
    const reason = outcome.outcome === 'failed' ? outcome.reason : 'the stream ended early';
    const message = `The answer broke off: ${reason}. Send a message to go on.`;
    return failed('cut', message, firstAt, true);
  }
  // Even a provider that keeps silent leaves its reader with a word within the time.
  write({ type: 'data-notice', data: { message: NOTICE }, transient: true });
  return inOnePiece(ask, outcome.outcome === 'handoff');
}

const NOTICE = 'No answer has begun to stream. It is asked for in one piece.';

async function inOnePiece(ask: Ask, overflowed: boolean): Promise<End> {
  const { model, system, settings, signal, write, steps, now } = ask;
  const { maxOutputTokens } = settings;
  const last = ask.messages.slice(-1);
  const call = {
    model,
    system,
    maxOutputTokens,
    signal: AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)]),
  };
  steps.begin();
  let whole = await askWhole({ ...call, messages: overflowed ? last : ask.messages });
  if (!whole.ok && whole.overflow && !overflowed)
    whole = await askWhole({ ...call, messages: last });
  // Not every model takes images, and one that does not would never answer again.
  const plain = whole.ok ? null : withoutImages(overflowed ? last : ask.messages);
  if (plain !== null && !signal.aborted) whole = await askWhole({ ...call, messages: plain });
  if (signal.aborted) return { outcome: 'stopped', streamed: false, firstAt: null };
  if (!whole.ok) {
    const reason = whole.reason ?? `no answer came within ${WHOLE_MS / 1000} seconds`;
    return failed('model', `The model could not answer: ${reason}. Send your message again.`, null);
  }
  if (whole.text.trim() === '')
    return failed('empty', 'The model answered with nothing. Say it in other words.', null);
  const texts = new Texts(write, now);
  texts.add('whole', whole.text);
  texts.close();
  steps.delta(whole.text);
  steps.complete();
  return { outcome: 'ok', streamed: false, firstAt: texts.firstAt };
}

function failed(
  code: LiteclawFailure['code'],
  message: string,
  firstAt: number | null,
  streamed = false,
): End {
  return {
    outcome: 'error',
    streamed,
    firstAt,
    failure: { code, message: message.slice(0, 2048) },
  };
}

/** Opens a part with its first word, and closes what is open. */
class Texts {
  #write: Ask['write'];
  #now: () => number;
  #open: string | null = null;
  firstAt: number | null = null;

  constructor(write: Ask['write'], now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  add(id: string, delta: string): void {
    if (delta === '') return;
    this.firstAt ??= this.#now();
    if (this.#open !== id) {
      this.close();
      this.#open = id;
      this.#write({ type: 'text-start', id });
    }
    this.#write({ type: 'text-delta', id, delta });
  }

  /** Something else comes before the next word. */
  interrupt(): void {
    this.close();
    this.firstAt ??= this.#now();
  }

  close(): void {
    if (this.#open !== null) this.#write({ type: 'text-end', id: this.#open });
    this.#open = null;
  }
}
