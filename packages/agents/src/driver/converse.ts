import { setTimeout as wait } from 'node:timers/promises';
import type { AgentInput } from '@filepath/protocol';
import type { Decisions } from './decisions.ts';
import type { DriverContext } from './driver.ts';
import type { Journal } from './journal.ts';
import { lastWord } from './last-word.ts';
import { Mailbox } from './mailbox.ts';
import type { Connect, Program, Surroundings, TurnEnd } from './program.ts';
import { surround } from './surround.ts';
import type { Voice } from './voice.ts';
import { patienceOf, showSilence, type Silence, Watchdog } from './watchdog.ts';
import { HANDOFF_REQUEST } from './words.ts';

const IDLE_SECONDS = 60;
/** For what a program still does in the background. */
const BUSY_MS = 30 * 60_000;
/** Of the time that a stop leaves: for the program to end its turn by itself. */
const INTERRUPT_MS = 1000;
const CLOSE_MS = 900;
/** What an agent is told at its start comes in one go, line by line: its task, and what is remembered. It is one turn. */
const TOLD_MS = 150;
/** For a hung program to answer an interrupt. */
const HUNG_MS = 10_000;

type Happening =
  | { kind: 'input'; input: AgentInput }
  | { kind: 'turn-ended'; end: TurnEnd }
  | { kind: 'silent'; silence: Silence }
  /** The program works by itself: there is a turn now. */
  | { kind: 'woken' }
  | { kind: 'end'; because: 'stop' | 'no more inputs' };

/** Serves messages with a program that `connect` starts, until it is stopped or has been idle. */
export function converse(context: DriverContext, connect: Connect): Promise<number> {
  return new Conversation(context, connect).run();
}

class Conversation {
  #context: DriverContext;
  #connect: Connect;
  #mail = new Mailbox<Happening>();
  #journal: Journal;
  #voice: Voice;
  #decisions: Decisions;
  #watchdog: Watchdog;
  #surroundings: Surroundings;
  #ending = new AbortController();
  #program: Program | null = null;
  /** Resolves when the turn has ended; null while there is none. */
  #turn: Promise<void> | null = null;
  #queue: string[] = [];
  #notes: string[] = [];
  #handoff: 'no' | 'wanted' | 'being written' | 'told' = 'no';
  /** The task came. */
  #tasked = false;
  #started = false;
  #inputsEnded = false;
  #hung: Silence | null = null;

  constructor(context: DriverContext, connect: Connect) {
    this.#context = context;
    this.#connect = connect;
    this.#watchdog = new Watchdog(
      (silence) => this.#mail.put({ kind: 'silent', silence }),
      () => patienceOf(context.env, this.#voice.openWork > 0),
    );
    this.#surroundings = surround(context, {
      signal: this.#ending.signal,
      heard: () => this.#watchdog.heard(),
      adopt: (end) => this.#adopt(end),
    });
    const { journal, voice, decisions } = this.#surroundings;
    this.#journal = journal;
    this.#voice = voice;
    this.#decisions = decisions;
  }

  async run(): Promise<number> {
    void this.#readInputs();
    const stop = (): void => this.#mail.put({ kind: 'end', because: 'stop' });
    this.#context.signal.addEventListener('abort', stop, { once: true });
    const idleMs = Number(this.#context.env['FILEPATH_IDLE_SECONDS'] ?? IDLE_SECONDS) * 1000;
    for (let idle = 0; ;) {
      const next = await this.#mail.take(this.#turn ? undefined : idleMs);
      idle = next === null ? idle + idleMs : 0;
      if (next === null) {
        if (this.#program?.busy?.() === true && idle < BUSY_MS) continue;
        return this.#leave();
      }
      if (next.kind === 'end') {
        if (next.because === 'stop') return this.#stop();
        this.#inputsEnded = true;
      } else {
        await this.#on(next);
      }
      if (this.#handoff === 'told' || (this.#inputsEnded && !this.#turn)) return this.#leave();
    }
  }

  async #readInputs(): Promise<void> {
    try {
      for await (const input of this.#context.inputs) {
        if (input.type === 'signal' && input.action === 'stop') {
          this.#mail.put({ kind: 'end', because: 'stop' });
        } else this.#mail.put({ kind: 'input', input });
      }
    } finally {
      this.#mail.put({ kind: 'end', because: 'no more inputs' });
    }
  }

  async #on(happening: Exclude<Happening, { kind: 'end' }>): Promise<void> {
    switch (happening.kind) {
      case 'input':
        return this.#onInput(happening.input);
      case 'turn-ended':
        return this.#onTurnEnd(happening.end);
      case 'silent':
        return this.#onSilence(happening.silence);
      case 'woken':
        return;
    }
  }

  async #onInput(input: AgentInput): Promise<void> {
    switch (input.type) {
      case 'message':
        // The first message is the task, whoever says it.
        if (input.from === 'system' && this.#tasked && input.wake !== true) {
          return this.#onNote(input.content);
        }
        this.#tasked = true;
        return this.#onText(input.content);
      case 'decision':
        return this.#decisions.answer(input.id, input.choice);
      case 'signal':
        if (input.action === 'handoff') return this.#onHandoff();
    }
  }

  async #onText(text: string): Promise<void> {
    this.#journal.asked(text);
    if (!this.#turn) return this.#begin(text);
    if (this.#handoff !== 'no' || !(await this.#steer(text))) this.#queue.push(text);
  }

  /** What the control plane adds asks for no turn of its own. */
  async #onNote(text: string): Promise<void> {
    if (!this.#turn || !(await this.#steer(text))) this.#notes.push(text);
  }

  async #onHandoff(): Promise<void> {
    if (this.#handoff !== 'no') return;
    this.#handoff = 'wanted';
    if (this.#turn) await this.#interrupt();
    else this.#begin(HANDOFF_REQUEST);
  }

  async #steer(text: string): Promise<boolean> {
    return this.#program !== null && !this.#program.gone() && (await this.#program.steer(text));
  }

  async #interrupt(): Promise<void> {
    this.#decisions.cancelAll();
    if (this.#program && !this.#program.gone()) await this.#program.interrupt();
  }

  #begin(text: string): void {
    if (this.#handoff === 'wanted') this.#handoff = 'being written';
    this.#enter(this.#take(text));
  }

  #adopt(end: Promise<TurnEnd>): void {
    if (this.#turn) return;
    this.#enter(end);
    this.#mail.put({ kind: 'woken' });
  }

  #enter(end: Promise<TurnEnd>): void {
    this.#journal.turnText = '';
    this.#voice.status('thinking');
    this.#watchdog.begin();
    this.#turn = end
      .catch((error: unknown): TurnEnd => ({ how: 'failed', reason: reasonOf(error) }))
      .then((how) => this.#mail.put({ kind: 'turn-ended', end: how }));
  }

  async #take(text: string): Promise<TurnEnd> {
    if (this.#program?.gone() === true) this.#program = null;
    this.#program ??= await this.#start();
    // What came while the program was being started goes along.
    return this.#program.turn(
      [...this.#notes.splice(0), text, ...this.#queue.splice(0)].join('\n\n'),
    );
  }

  async #start(): Promise<Program> {
    if (!this.#started) await wait(TOLD_MS);
    this.#started = true;
    return this.#connect(this.#surroundings);
  }

  async #onTurnEnd(end: TurnEnd): Promise<void> {
    this.#turn = null;
    this.#watchdog.end();
    this.#voice.closeOpen(end.how === 'interrupted' ? 'interrupted' : 'the turn ended before it');
    this.#decisions.cancelAll();
    const hung = this.#hung;
    this.#hung = null;
    if (this.#handoff === 'wanted') return this.#begin(HANDOFF_REQUEST);
    if (end.how === 'handoff') return this.#handOver(end.summary ?? '');
    if (this.#handoff === 'being written') {
      return this.#handOver(end.how === 'done' ? this.#journal.turnText : '');
    }
    if (hung) {
      const reason = `${this.#context.entry.name} said nothing for ${showSilence(hung)}`;
      this.#voice.endRun(lastWord({ how: 'failed', reason }, undefined));
    } else if (this.#queue.length === 0) {
      this.#voice.endRun(lastWord(end, this.#journal.summary));
    } else if (end.how === 'failed') {
      this.#voice.log('error', end.reason);
    }
    if (this.#queue.length > 0) this.#begin(this.#queue.splice(0).join('\n\n'));
  }

  /** The last word of this process. Another goes on, and is told what this one was told and did not take up. */
  #handOver(written: string): void {
    this.#handoff = 'told';
    const summary = written.trim() === '' ? this.#journal.handoff() : written;
    this.#voice.endRun({ type: 'handoff', summary });
  }

  async #onSilence(silence: Silence): Promise<void> {
    if (!this.#turn) return;
    if (this.#decisions.waiting) return this.#watchdog.heard();
    const { name } = this.#context.entry;
    this.#voice.status('running', {
      reason: `${name} has said nothing for ${showSilence(silence)}`,
    });
    if (!silence.last) return;
    this.#hung = silence;
    await this.#interrupt();
    void Promise.race([this.#turn, wait(HUNG_MS, 'hung', { ref: false })]).then((how) =>
      how === 'hung' && this.#hung ? this.#program?.close() : undefined,
    );
  }

  async #stop(): Promise<number> {
    const turn = this.#turn;
    if (turn) {
      await Promise.race([this.#interrupt().then(() => turn), wait(INTERRUPT_MS)]);
      this.#voice.closeOpen('stopped');
      this.#voice.endRun({ type: 'status', state: 'idle', reason: 'stopped' });
    }
    return this.#leave();
  }

  async #leave(): Promise<number> {
    this.#watchdog.end();
    // A program that is still being started or installed ends by this.
    this.#ending.abort();
    await this.#program?.close();
    if (!this.#program && this.#turn) await Promise.race([this.#turn, wait(CLOSE_MS)]);
    return 0;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
