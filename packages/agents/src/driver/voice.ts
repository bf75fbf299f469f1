import type { AgentEvent, AgentState } from '@filepath/protocol';
import { bounded } from './caps.ts';
import type { Journal } from './journal.ts';

type WorkEvent = Extract<AgentEvent, { type: 'tool' | 'command' }>;
/** The events by which a run ends. */
export type RunEnd =
  | Extract<AgentEvent, { type: 'done' | 'handoff' }>
  | { type: 'status'; state: 'idle' | 'error'; reason: string; until?: string };

export type StatusDetail = { reason?: string; until?: string; contextPct?: number };

/** What a driver says: within bounds, each started tool ended once, a status only when it is a new one. */
export class Voice {
  #emit: (event: AgentEvent) => void;
  #journal: Journal;
  #open = new Map<string, WorkEvent>();
  #lastStatus = '';
  #contextPct: number | undefined;

  constructor(emit: (event: AgentEvent) => void, journal: Journal) {
    this.#emit = emit;
    this.#journal = journal;
  }

  say(event: AgentEvent): void {
    const said = bounded(event);
    if (said.type === 'tool' || said.type === 'command') this.#track(said);
    this.#journal.told(said);
    this.#emit(said);
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void {
    this.say({ type: 'log', level, message });
  }

  status(state: AgentState, detail: StatusDetail = {}): void {
    const { reason, until, contextPct = this.#contextPct } = detail;
    this.#contextPct = contextPct === undefined ? undefined : round(contextPct);
    const event: AgentEvent = {
      type: 'status',
      state,
      ...(this.#contextPct === undefined ? {} : { context_pct: this.#contextPct }),
      ...(reason === undefined ? {} : { reason }),
      ...(until === undefined ? {} : { until }),
    };
    const line = JSON.stringify(event);
    if (line === this.#lastStatus) return;
    this.#lastStatus = line;
    this.#emit(event);
  }

  /** A run has ended: the next status is new, whatever it says. */
  forgetStatus(): void {
    this.#lastStatus = '';
  }

  /** Ends the run. */
  endRun(event: RunEnd): void {
    if (event.type === 'status') this.status(event.state, event);
    else this.say(event);
    this.forgetStatus();
  }

  /** The state while a turn goes on. */
  working(detail: StatusDetail = {}): void {
    this.status(this.#open.size > 0 ? 'running' : 'thinking', detail);
  }

  get openWork(): number {
    return this.#open.size;
  }

  opened(id: string): WorkEvent | undefined {
    return this.#open.get(id);
  }

  /** Ends what the program started and never ended. */
  closeOpen(why: string): void {
    for (const event of this.#open.values()) {
      const { id, parent } = event;
      const rest = {
        status: 'error' as const,
        ...(id === undefined ? {} : { id }),
        ...(parent === undefined ? {} : { parent }),
      };
      this.#emit(
        event.type === 'tool'
          ? { type: 'tool', name: event.name, ...pathOf(event.path), ...rest, output: why }
          : { type: 'command', cmd: event.cmd, ...rest, stderr: why },
      );
    }
    this.#open.clear();
  }

  #track(event: WorkEvent): void {
    if (event.id === undefined) return;
    if (event.status === 'start') this.#open.set(event.id, event);
    else this.#open.delete(event.id);
  }
}

function pathOf(path: string | undefined): { path?: string } {
  return path === undefined ? {} : { path };
}

function round(pct: number): number {
  return Math.round(Math.min(1, Math.max(0, pct)) * 1000) / 1000;
}
