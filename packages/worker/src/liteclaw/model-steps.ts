import { addTokens, LIMITS, newStepId, type StepId, type TokenCounts } from '@filepath/protocol';
import { cutMiddle } from '@filepath/loop';
import type { SkyEvents } from './sky-log.ts';

/** Words are stored together: a few rows a second. */
const EVERY_MS = 300;
/** Characters that wait for that. */
const MOST = 8 * 1024;
/** Characters of one step's text in the log: each may be three bytes, or six where JSON escapes it. */
const OUTPUT = Math.floor(LIMITS.inlineBody / 7);

/** What a model writes in a run, step by step, as events of the run. */
export class ModelSteps {
  #events: SkyEvents;
  #now: () => number;
  #step: { id: StepId; at: number; text: string } | null = null;
  #waiting = '';
  #stored = 0;
  /** All that was written. */
  output = '';
  tokens: TokenCounts | null = null;

  constructor(events: SkyEvents, now: () => number) {
    this.#events = events;
    this.#now = now;
  }

  /** The step that is open, or was last: what it calls belongs to it. */
  get step(): StepId | null {
    return this.#step?.id ?? null;
  }

  begin(): void {
    this.cut();
    this.#step = { id: newStepId(), at: this.#now(), text: '' };
    this.#stored = this.#now();
  }

  delta(text: string): void {
    if (!this.#step) this.begin();
    this.#waiting += text;
    this.output += text;
    if (this.#step) this.#step.text += text;
    if (this.#waiting.length >= MOST || this.#now() - this.#stored >= EVERY_MS) this.#flush();
  }

  /** The step is whole. */
  complete(tokens: TokenCounts | null = null): void {
    const step = this.#step;
    if (!step) return;
    this.#flush();
    if (tokens) this.tokens = this.tokens === null ? tokens : addTokens(this.tokens, tokens);
    this.#events.append([
      {
        type: 'model.completed',
        step_id: step.id,
        output: cutMiddle(step.text, OUTPUT),
        duration_ms: Math.max(0, this.#now() - step.at),
        ...(tokens && { tokens }),
      },
    ]);
    this.#step = null;
  }

  /** Nothing more comes of the step. */
  cut(): void {
    this.#flush();
    this.#step = null;
  }

  #flush(): void {
    this.#stored = this.#now();
    if (this.#waiting === '' || !this.#step) return;
    const delta = this.#waiting;
    this.#waiting = '';
    this.#events.append([{ type: 'model.delta', step_id: this.#step.id, delta }]);
  }
}
