import { cutMiddle, type LoopEvent, type LoopTool } from '@filepath/loop';
import { refusal, type ToolOutcome } from '@filepath/protocol/sky';
import type { UiChunk } from '../answer.ts';
import type { SkyEvents } from '../sky-log.ts';
import { RunBudget, type ToolLimits } from './budget.ts';
import { CallRecord } from './call-record.ts';
import { invoke } from './invoke.ts';
import { argsOf, type ClawTool, modelName, type ToolRules } from './tool.ts';

type Deps = {
  readonly tools: readonly ClawTool[];
  /** As they stand when it is asked: a change holds for the next call. */
  readonly rules: () => ToolRules;
  readonly limits: ToolLimits;
  readonly events: SkyEvents;
  readonly sha256: (text: string) => string;
  readonly now: () => number;
  /** Characters of all results that the model is shown. */
  readonly room: number;
  /** Told of each call when its arguments are whole. */
  readonly called?: (name: string, args: unknown) => void;
};

/** Characters of a result that the model is shown, whatever is left. */
const LEAST = 400;

/** The tools of one run: what the loop is given, what is logged of each call, and what the reader is shown. */
export class ToolRun {
  readonly loopTools: readonly LoopTool[];
  #deps: Deps;
  #budget: RunBudget;
  #write: (chunk: UiChunk) => void;
  #open = new Map<string, CallRecord>();
  #outcomes = new Map<string, ToolOutcome>();
  #room: number;
  /** Calls that were begun. */
  calls = 0;

  constructor(deps: Deps, write: (chunk: UiChunk) => void) {
    this.#deps = deps;
    this.#write = write;
    this.#budget = new RunBudget(deps.limits);
    this.#room = deps.room;
    this.loopTools =
      deps.rules().policy === 'none' ? [] : deps.tools.map((tool) => this.#loopTool(tool));
  }

  /** A call for each step, one for the refusal after them, and one for the answer. */
  get maxSteps(): number {
    return this.#deps.limits.calls + 2;
  }

  /** What the loop tells, as far as it is about tools. */
  hear(event: LoopEvent): void {
    if (event.type === 'tool-input-start') this.#record(event.id, event.name);
    else if (event.type === 'tool-input-delta') this.#open.get(event.id)?.delta(event.delta);
    else if (event.type === 'tool-start') {
      const record = this.#record(event.id, event.name);
      const tool = this.#tool(event.name);
      record.args(event.input, tool !== undefined && argsOf(tool).safeParse(event.input).success);
      if (tool) this.#deps.called?.(tool.name, event.input);
    } else if (event.type === 'tool-end') {
      const { id, name, input, result, durationMs } = event;
      const outcome =
        this.#outcomes.get(id) ?? refusal(this.#tool(name) ? 'bad_args' : 'no_tool', result.text);
      this.#record(id, name).end(input, outcome, durationMs);
      this.#open.delete(id);
      this.#outcomes.delete(id);
    }
  }

  /** Ends what was begun and never called: the answer broke off. */
  close(): void {
    const cut = refusal('interrupted', 'The answer broke off before this was called.');
    for (const record of this.#open.values()) record.end(null, cut, 0);
    this.#open.clear();
  }

  #tool(name: string): ClawTool | undefined {
    return this.#deps.tools.find((tool) => modelName(tool.name) === name);
  }

  #record(id: string, name: string): CallRecord {
    const known = this.#open.get(id);
    if (known) return known;
    this.calls += 1;
    const { rules, events, sha256, now } = this.#deps;
    const tool = this.#tool(name);
    const shown = tool?.name ?? (name.slice(0, 128) || 'unknown');
    const executor = tool?.executor?.(rules()) ?? 'workers';
    const said = { id, name: shown, executor };
    const record = new CallRecord({ ...said, events, sha256, now, write: this.#write });
    this.#open.set(id, record);
    return record;
  }

  /** Half of what is left: there may be more calls. */
  #shown({ output }: ToolOutcome): string {
    const text = cutMiddle(JSON.stringify(output), Math.max(LEAST, Math.floor(this.#room / 2)));
    this.#room -= text.length;
    return text;
  }

  #loopTool(tool: ClawTool): LoopTool {
    return {
      name: modelName(tool.name),
      description: tool.description,
      input: argsOf(tool),
      readOnly: tool.access === 'read',
      run: async (args, { id, signal }) => {
        const { rules, now } = this.#deps;
        const fits = this.#open.get(id)?.fits ?? false;
        const outcome = fits
          ? await invoke(tool, args, { rules, budget: this.#budget, signal, now })
          : refusal('too_large', 'The arguments are too large to be kept.');
        this.#outcomes.set(id, outcome);
        return { ok: outcome.ok, text: this.#shown(outcome) };
      },
    };
  }
}
