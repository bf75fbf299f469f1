import type { DriverContext } from './driver.ts';
import type { Decisions } from './decisions.ts';
import type { Journal } from './journal.ts';
import type { Kept } from './kept.ts';
import type { Voice } from './voice.ts';

/** How a turn of a program ended. */
export type TurnEnd =
  | { readonly how: 'done' }
  | { readonly how: 'interrupted' }
  | { readonly how: 'failed'; readonly reason: string; readonly until?: string }
  /** Its context is full. */
  | { readonly how: 'handoff'; readonly summary?: string };

/** A running CLI, as the conversation sees it. */
export type Program = {
  /** Gives it a message; resolves when it waits for the next. It rejects only if the program is of no more use. */
  readonly turn: (text: string) => Promise<TurnEnd>;
  /** A message while a turn runs; false if it could not take it, so that it becomes the next turn. */
  readonly steer: (text: string) => Promise<boolean>;
  /** Asks for the end of the turn; `turn` resolves when it has ended. */
  readonly interrupt: () => Promise<void>;
  readonly gone: () => boolean;
  /** Something of it still works in the background, though no turn runs. */
  readonly busy?: () => boolean;
  /** Ends the process; resolves when nothing of it is left. */
  readonly close: () => Promise<void>;
};

/** What a driver's program is made with. */
export type Surroundings = {
  readonly context: DriverContext;
  readonly cwd: string;
  readonly home: string;
  readonly voice: Voice;
  readonly journal: Journal;
  readonly decisions: Decisions;
  readonly kept: Kept;
  /** `allow`: what a CLI asks leave for is granted, since the sandbox is the bound. `ask`: a person decides. */
  readonly permissions: 'allow' | 'ask';
  /** Aborted when the agent is to end. */
  readonly signal: AbortSignal;
  /** To be called for whatever the program says. */
  readonly heard: () => void;
  /** To be called when it begins a turn by itself, with how that will end. */
  readonly adopt: (end: Promise<TurnEnd>) => void;
};

export type Connect = (surroundings: Surroundings) => Promise<Program>;
