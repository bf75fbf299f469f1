import { askWhole, cutMiddle } from '@filepath/loop';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import { lastTurns, type Said, SUMMARY_CAP, wordsOf } from './context.ts';
import type { LiteclawSettings } from './settings.ts';

type Model = Parameters<typeof askWhole>[0]['model'];

/** `through`: the last message that is in the summary. */
export type Stored = {
  version: 1;
  summary: string;
  through: string | null;
  at?: string;
};

const NOTHING: Stored = { version: 1, summary: '', through: null };

/** Turns beyond those that are sent whole, before they are put into the summary together. */
const SLACK = 5;
/** Characters of a transcript that is summarised at once. */
const TRANSCRIPT = 24_000;
const SUMMARY_MS = 60_000;

const SYSTEM = `You keep the memory of a personal assistant. You get the memory so far and a part of the conversation that will
be forgotten. Write the new memory: who the person is, what they said about themselves, names, dates, numbers, preferences,
decisions, promises and open questions. Keep every fact of the old memory that may still matter. Facts only, in short lines,
at most 500 words.`;

/** The rolling summary of a chat: everything that is not sent whole any more. Bounded, whatever was said. */
export class ChatMemory {
  #sql: Sql;
  /** Told of each new summary, in the transaction that stores it. */
  #told: (memory: Stored) => void;

  constructor(sql: Sql, stored: (memory: Stored) => void = () => undefined) {
    this.#sql = sql;
    this.#told = stored;
  }

  get summary(): string {
    return this.#stored().summary;
  }

  /** What is not in the summary. */
  rest<T extends Said>(said: readonly T[]): readonly T[] {
    const { through } = this.#stored();
    const at = said.findLastIndex(({ id }) => id === through);
    return at < 0 ? said : said.slice(at + 1);
  }

  /** As it stands. */
  get(): Stored {
    return this.#stored();
  }

  set(stored: Stored): void {
    writeValue(this.#sql, 'memory', stored);
  }

  forget(): void {
    writeValue(this.#sql, 'memory', NOTHING);
  }

  /** What is to be put into the summary now: null until there is enough of it. */
  due(said: readonly Said[], turns: number): readonly Said[] | null {
    const rest = this.rest(said);
    if (lastTurns(rest, turns + SLACK) === 0) return null;
    return rest.slice(0, lastTurns(rest, turns));
  }

  /** Puts old turns into the summary, by the model where it answers. Without one their beginnings and ends are kept. */
  async fold(old: readonly Said[], model: Model | null, signal: AbortSignal): Promise<void> {
    const last = old.at(-1);
    if (!last) return;
    const before = this.#stored();
    const lines = old
      .map((message) => `${message.role}: ${cutMiddle(wordsOf(message), 2_000)}`)
      .join('\n');
    const written = model === null ? '' : await write(model, before.summary, lines, signal);
    const summary = written === '' ? `${before.summary}\n${lines}`.trim() : written;
    // A reset meanwhile has the last word.
    if (signal.aborted || this.#stored().through !== before.through) return;
    const at = new Date().toISOString();
    const stored: Stored = { version: 1, summary: bounded(summary), through: last.id, at };
    this.#sql.transaction(() => {
      this.set(stored);
      this.#told(stored);
    });
  }

  #stored(): Stored {
    return readValue<Stored>(this.#sql, 'memory') ?? NOTHING;
  }
}

async function write(
  model: Model,
  summary: string,
  lines: string,
  signal: AbortSignal,
): Promise<string> {
  const content = `The memory so far:\n${summary || '(nothing)'}\n\nThe conversation:\n${cutMiddle(lines, TRANSCRIPT)}`;
  const answer = await askWhole({
    model,
    system: SYSTEM,
    messages: [{ role: 'user', content }],
    maxOutputTokens: 1_024,
    signal: AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_MS)]),
  });
  return answer.ok ? answer.text.trim() : '';
}

const bounded = (text: string): string => cutMiddle(text, SUMMARY_CAP - 100);

/** Messages that are kept: always more than the summary is behind. */
export const keptMessages = ({ turns }: LiteclawSettings): number =>
  Math.max(200, (turns + SLACK) * 6);
