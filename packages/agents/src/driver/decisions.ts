import { createHash, randomUUID } from 'node:crypto';
import type { Voice } from './voice.ts';

export type Question = {
  readonly prompt: string;
  readonly options: readonly string[];
  /** What is decided on, whole: its hash binds the answer to these bytes. */
  readonly subject: unknown;
};

export const ALLOW = 'allow';
export const ALLOW_SAME = 'allow the same again';
export const DENY = 'deny';

/** Questions to a person, and their answers. */
export class Decisions {
  #voice: Voice;
  #open = new Map<string, (choice: string | null) => void>();
  #allowed = new Set<string>();

  constructor(voice: Voice) {
    this.#voice = voice;
  }

  get waiting(): boolean {
    return this.#open.size > 0;
  }

  /** The choice, or null if it is no longer asked. */
  ask(question: Question): Promise<string | null> {
    return this.#ask(question, hashOf(question.subject));
  }

  /** Whether a person allows it. An answer for always holds for the same bytes only. */
  async permit(prompt: string, subject: unknown): Promise<boolean> {
    const hash = hashOf(subject);
    if (this.#allowed.has(hash)) return true;
    const options = [ALLOW, ALLOW_SAME, DENY];
    const choice = await this.#ask({ prompt, options, subject }, hash, 'permission');
    if (choice === ALLOW_SAME) this.#allowed.add(hash);
    return choice === ALLOW || choice === ALLOW_SAME;
  }

  answer(id: string, choice: string): void {
    const settle = this.#open.get(id);
    if (!settle) {
      this.#voice.log('warn', `a decision came for ${id}, which is not asked (any more)`);
      return;
    }
    this.#open.delete(id);
    settle(choice);
  }

  cancelAll(): void {
    for (const settle of this.#open.values()) settle(null);
    this.#open.clear();
  }

  #ask(question: Question, hash: string, kind?: 'permission'): Promise<string | null> {
    const id = `d_${randomUUID()}`;
    const answered = new Promise<string | null>((resolve) => this.#open.set(id, resolve));
    // The question is the last word, so that the thread knows that a person is asked.
    this.#voice.status('running', { reason: 'waiting for a decision' });
    const { prompt, options } = question;
    const more = kind === undefined ? {} : { kind };
    this.#voice.say({ type: 'decision', id, prompt, options: [...options], hash, ...more });
    return answered.then((choice) => {
      if (choice === null || options.includes(choice)) return choice;
      this.#voice.log('warn', `the answer ${JSON.stringify(choice)} is none of the options`);
      return this.#ask(question, hash, kind);
    });
  }
}

/** Keys are put in order, so that the same content has the same hash. */
export function hashOf(subject: unknown): string {
  return createHash('sha256').update(canonical(subject)).digest('hex');
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
