import type { ModelMessage } from 'ai';
import { callModel, type ModelCall } from './call.ts';
import { cutMiddle } from './cut.ts';
import type { Failure } from './failure.ts';
import { userMessage } from './history.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import { contextPct } from './usage.ts';
import type { Resumes } from './wait.ts';

const SYSTEM = `You write the note with which one engineer hands unfinished work to the next, who knows nothing of it.
Say what was asked, what was done (files, commits, commands and how they ended), what was found out, what is left to do and
what to do first. Facts only, no greeting. At most 600 words.`;

type Options = Pick<ModelCall, 'model' | 'maxOutputTokens' | 'emit' | 'signal'> & {
  readonly messages: readonly ModelMessage[];
  readonly contextWindow: number;
  readonly retries: RetryPolicy;
  readonly resumes: Resumes | undefined;
};

export type Summary =
  | { readonly ok: true; readonly text: string }
  /** Null: it was interrupted. */
  | { readonly ok: false; readonly failure: Failure | null };

/** A history as a note for whoever goes on. It is sent shortened, as text, so that it fits even when the history does not. */
export async function summarise(options: Options): Promise<Summary> {
  const { model, maxOutputTokens, emit, signal, messages, contextWindow, retries, resumes } =
    options;
  if (messages.length === 0) return { ok: true, text: 'Nothing was done yet.' };
  // A character is at most about half a token; a quarter of the window leaves room for any tokenizer.
  const transcript = transcriptOf(messages, Math.min(400_000, contextWindow / 2));
  const call = {
    model,
    system: SYSTEM,
    messages: [userMessage(transcript)],
    tools: [],
    maxOutputTokens: Math.min(maxOutputTokens, 4_096),
    // The note is told as a hand-off, not as something said.
    emit: () => undefined,
    signal,
  };
  const tried = await withRetries(() => callModel(call, () => undefined), {
    policy: retries,
    emit,
    signal,
    resumes,
  });
  if (!tried.ok) {
    const { failure } = tried;
    if (failure?.kind !== 'overflow') return { ok: false, failure };
    return { ok: true, text: withoutModel(messages, failure.reason) };
  }
  const { tokens, text } = tried.value;
  await emit({ type: 'usage', tokens, contextPct: contextPct(tokens, contextWindow) });
  const said = text === '' ? withoutModel(messages, 'the model said nothing') : text;
  return { ok: true, text: said };
}

/** What can be said without a model. */
function withoutModel(messages: readonly ModelMessage[], reason: string): string {
  const task = messages.find(({ role }) => role === 'user');
  const last = messages.findLast(({ role }) => role === 'assistant');
  return [
    `No summary could be written (${reason}).`,
    ...(task ? [`The task: ${cutMiddle(linesOf(task), 4_000)}`] : []),
    ...(last ? [`The last thing said: ${cutMiddle(linesOf(last), 4_000)}`] : []),
  ].join('\n\n');
}

const RESULT = 2_000;

/** Every message shortened, the first kept, the oldest of the others left out. */
export function transcriptOf(messages: readonly ModelMessage[], limit: number): string {
  const [first = '', ...rest] = messages.map((message) => `${message.role}: ${linesOf(message)}`);
  const head = cutMiddle(first, limit / 4);
  const kept: string[] = [];
  let room = limit - head.length;
  for (const text of rest.toReversed()) {
    const short = cutMiddle(text, RESULT * 4);
    if (short.length > room) break;
    room -= short.length;
    kept.unshift(short);
  }
  const left = rest.length - kept.length;
  return [head, ...(left > 0 ? [`[${left} messages left out]`] : []), ...kept].join('\n\n');
}

function linesOf(message: ModelMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content
    .map((part) => {
      switch (part.type) {
        case 'text':
          return part.text;
        case 'tool-call':
          return `calls ${part.toolName} ${cutMiddle(JSON.stringify(part.input) ?? '', RESULT)}`;
        case 'tool-result':
          return `result of ${part.toolName}: ${cutMiddle(JSON.stringify(part.output), RESULT)}`;
        default:
          return '';
      }
    })
    .filter((line) => line !== '')
    .join('\n');
}
