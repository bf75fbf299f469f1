import { LIMITS, newStepId } from '@filepath/protocol';
import { type ExecutorKind, isDeterministic, type ToolOutcome } from '@filepath/protocol/sky';
import type { UiChunk } from '../answer.ts';
import type { NewSkyEvent, SkyEvents } from '../sky-log.ts';
import { bytesOf } from './invoke.ts';

type Deps = {
  readonly id: string;
  readonly name: string;
  readonly executor: ExecutorKind;
  readonly events: SkyEvents;
  readonly sha256: (text: string) => string;
  readonly now: () => number;
  readonly write: (chunk: UiChunk) => void;
};

/** Characters of arguments that are logged at once. */
const PIECE = 8_192;
/** Bytes of arguments; their event has a head around them. */
const ARGS = LIMITS.inlineBody - 4_096;
/** Codes of failures that follow from the arguments and the files alone. */
const SETTLED = ['not_found', 'no_match', 'bad_args', 'too_large'];

/** One call of a tool from its first word to its receipt: in the log, and as a part of the answer. */
export class CallRecord {
  #deps: Deps;
  #step = newStepId();
  #id: string;
  #at: number;
  #pending = '';
  #logged = 0;
  #given = false;
  /** Whether its arguments are in the log. */
  fits = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#id = deps.id.slice(0, 256) || this.#step;
    this.#at = deps.now();
    const { name, executor, write } = deps;
    this.#say({ type: 'tool.call.started', ...this.#head, tool_name: name, executor });
    write({ type: 'tool-input-start', toolCallId: this.#id, toolName: name });
  }

  /** A piece of the arguments, of which nothing is known yet. */
  delta(text: string): void {
    if (text === '' || this.#logged + this.#pending.length > ARGS) return;
    this.#deps.write({ type: 'tool-input-delta', toolCallId: this.#id, inputTextDelta: text });
    this.#pending += text;
    if (this.#pending.length >= PIECE) this.#flush();
  }

  /** The arguments, whole; `valid`: they are what the tool takes. */
  args(input: unknown, valid: boolean): void {
    this.#flush();
    this.fits = valid && bytesOf(input) <= ARGS;
    if (this.fits) this.#say({ type: 'tool.call.completed', ...this.#head, args: input ?? null });
    this.#available(input);
  }

  end(input: unknown, outcome: ToolOutcome, durationMs: number): void {
    this.#flush();
    if (!this.#given) this.#available(input);
    const { name, executor, events, sha256, write } = this.#deps;
    const { ok, output, code, change, local } = outcome;
    const hash = (value: unknown): string => sha256(JSON.stringify(value ?? null));
    const status = ok ? ('completed' as const) : ('error' as const);
    const duration = Math.max(0, durationMs);
    const failure = code === undefined ? {} : { error_code: code };
    const deterministic =
      executor === 'workers' &&
      isDeterministic(name) &&
      this.fits &&
      (ok || SETTLED.includes(code ?? ''));
    const receipt = {
      step_id: this.#step,
      tool_name: name,
      args_hash: hash(input),
      output_hash: hash(output),
      duration_ms: duration,
      status,
      verified: true,
      tool_call_id: this.#id,
      started_at: new Date(this.#at).toISOString(),
      executor,
      deterministic,
      ...failure,
      ...(change && { change }),
      ...(local && { local }),
    };
    const result = {
      type: 'tool.result' as const,
      ...this.#head,
      status,
      output,
      duration_ms: duration,
      ...failure,
    };
    events.append([result], [receipt]);
    if (ok) write({ type: 'tool-output-available', toolCallId: this.#id, output });
    else write({ type: 'tool-output-error', toolCallId: this.#id, errorText: wordsOf(output) });
    write({ type: 'data-receipt', id: `receipt-${this.#step}`, data: receipt });
  }

  get #head() {
    return { step_id: this.#step, tool_call_id: this.#id };
  }

  #available(input: unknown): void {
    this.#given = true;
    const { name, write } = this.#deps;
    write({
      type: 'tool-input-available',
      toolCallId: this.#id,
      toolName: name,
      input: input ?? {},
    });
  }

  #flush(): void {
    if (this.#pending === '') return;
    this.#say({ type: 'tool.call.delta', ...this.#head, delta: this.#pending });
    this.#logged += this.#pending.length;
    this.#pending = '';
  }

  #say(event: NewSkyEvent): void {
    this.#deps.events.append([event]);
  }
}

const wordsOf = ({ error }: ToolOutcome['output']): string =>
  typeof error === 'string' ? error : 'It failed.';
