import { randomUUID } from 'node:crypto';
import { type Child, exitReason } from '../driver/child.ts';
import { readJsonLines } from '../driver/json-lines.ts';
import type { Program, Surroundings, TurnEnd } from '../driver/program.ts';
import type { Dialect } from './dialect.ts';
import type { AssistantLine, ControlRequestLine, ResultLine, SystemLine } from './lines.ts';
import { permission } from './permission.ts';
import { endOf, rateLimited, retrying } from './ends.ts';
import { readLine } from './read-line.ts';
import { Translator } from './translate.ts';

type Turn = {
  readonly resolve: (end: TurnEnd) => void;
  readonly reject: (error: Error) => void;
  result: ResultLine | null;
  interrupted: boolean;
  /** The CLI has compacted its context, and this is its summary. */
  compacted: string | null;
  /** When the limit ends that the CLI told of. */
  until?: string;
};

/** A CLI that speaks Claude's stream-json: one process, many turns. */
export class ClaudeProgram implements Program {
  #child: Child;
  #dialect: Dialect;
  #with: Surroundings;
  #translator: Translator;
  #turn: Turn | null = null;
  #requests = 0;
  #compacting = false;
  /** Commands and sub-agents that go on after the turn. When one ends, the CLI works by itself. */
  #background = 0;
  /** It has said something: it took the session that it was told to resume. */
  #began = false;

  constructor(child: Child, dialect: Dialect, surroundings: Surroundings) {
    this.#child = child;
    this.#dialect = dialect;
    this.#with = surroundings;
    this.#translator = new Translator(surroundings);
    void this.#read();
  }

  get began(): boolean {
    return this.#began;
  }

  readonly gone = (): boolean => this.#child.gone;

  readonly turn = (text: string): Promise<TurnEnd> => {
    const end = this.#open();
    this.#write(text);
    return end;
  };

  readonly steer = (text: string): Promise<boolean> => {
    // After its result the CLI takes a line as a turn of its own, which `idle` then ends.
    if (!this.#turn || (this.#turn.result && !this.#dialect.states)) return Promise.resolve(false);
    if (this.#turn.interrupted) return Promise.resolve(false);
    this.#turn.result = null;
    this.#write(text);
    return Promise.resolve(true);
  };

  readonly interrupt = (): Promise<void> => {
    if (this.#turn && !this.#turn.interrupted) {
      this.#turn.interrupted = true;
      if (this.#dialect.controls) this.#control({ subtype: 'interrupt' });
      // Its next process goes on with the session.
      else return this.#child.end();
    }
    return Promise.resolve();
  };

  readonly busy = (): boolean => this.#background > 0;

  readonly close = (): Promise<void> => this.#child.end();

  #open(): Promise<TurnEnd> {
    return new Promise((resolve, reject) => {
      this.#turn = { resolve, reject, result: null, interrupted: false, compacted: null };
    });
  }

  #write(text: string): void {
    this.#child.writeLine({
      type: 'user',
      message: { role: 'user', content: this.#dialect.blocks ? [{ type: 'text', text }] : text },
      uuid: randomUUID(),
    });
  }

  #control(request: Record<string, unknown>): void {
    this.#requests++;
    this.#child.writeLine({ type: 'control_request', request_id: `r${this.#requests}`, request });
  }

  async #read(): Promise<void> {
    const { voice, heard, context } = this.#with;
    await readJsonLines(this.#child.stdout, {
      line: (value) => {
        heard();
        this.#line(value);
      },
      other: (head) => voice.log('debug', `${context.entry.name}: ${head}`),
    });
    const exit = await this.#child.exited;
    const turn = this.#turn;
    this.#turn = null;
    if (turn?.interrupted === true) turn.resolve({ how: 'interrupted' });
    else turn?.reject(new Error(exitReason(context.entry.name, exit, this.#child.stderr)));
  }

  #line(value: Record<string, unknown>): void {
    const line = readLine(value);
    switch (line?.type) {
      case 'stream_event':
        return this.#translator.stream(line);
      case 'assistant':
        this.#translator.assistant(line);
        return this.#stopped(line);
      case 'user':
        if (line.isReplay === true) return;
        if (line.isSynthetic === true && this.#compacting) {
          this.#compacting = false;
          return this.#compacted(Translator.summaryOf(line));
        }
        return this.#translator.user(line);
      case 'system':
        return this.#system(line);
      case 'result':
        return this.#result(line);
      case 'control_request':
        return void this.#answer(line);
      case 'rate_limit_event':
        return this.#limited(rateLimited(line.rate_limit_info));
    }
  }

  #stopped({ message, parent_tool_use_id: parent }: AssistantLine): void {
    if (!this.#dialect.stops || message.stop_reason !== 'end_turn' || parent) return;
    const turn = this.#turn;
    this.#turn = null;
    turn?.resolve({ how: 'done' });
  }

  #system(line: SystemLine): void {
    const { voice, kept } = this.#with;
    switch (line.subtype) {
      case 'init':
        this.#began = true;
        if (line.session_id !== undefined) kept.session = line.session_id;
        return;
      case 'api_retry':
        return voice.working(retrying(line));
      case 'status':
        if (line.status === 'compacting') voice.working({ reason: 'compacting its context' });
        return;
      case 'compact_boundary':
        this.#compacting = true;
        return;
      case 'background_tasks_changed':
        this.#background = line.tasks?.length ?? 0;
        return;
      case 'session_state_changed':
        if (!this.#dialect.states) return;
        if (line.state === 'running' && !this.#turn) this.#with.adopt(this.#open());
        if (line.state === 'idle') this.#settle();
    }
  }

  #result(line: ResultLine): void {
    this.#translator.result(line);
    if (!this.#turn) return;
    this.#turn.result = line;
    if (!this.#dialect.states) this.#settle();
  }

  /** Its work is to be handed over rather than gone on with from a summary that nobody has read. */
  #compacted(summary: string): void {
    if (!this.#turn) return;
    this.#turn.compacted ??= summary;
    void this.interrupt();
  }

  #limited(detail: { reason?: string; until?: string }): void {
    if (this.#turn && detail.until !== undefined) this.#turn.until = detail.until;
    this.#with.voice.working(detail);
  }

  #settle(): void {
    const turn = this.#turn;
    if (!turn || (!turn.result && !turn.interrupted)) return;
    this.#turn = null;
    if (turn.compacted !== null) {
      turn.resolve({ how: 'handoff', summary: turn.compacted });
    } else turn.resolve(turn.interrupted ? { how: 'interrupted' } : endOf(turn.result, turn.until));
  }

  async #answer(line: ControlRequestLine): Promise<void> {
    const { request_id, request } = line;
    const response =
      request.subtype === 'can_use_tool'
        ? { subtype: 'success', request_id, response: await permission(request, this.#with) }
        : { subtype: 'error', request_id, error: `${request.subtype} is not supported` };
    this.#child.writeLine({ type: 'control_response', response });
    if (this.#turn) this.#with.voice.working();
  }
}
