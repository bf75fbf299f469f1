import { isObject, sameJson } from '../json.ts';
import type { SkyEvent } from './events.ts';
import type { SkyExportLine } from './export-lines.ts';
import { hashJson } from './hashing.ts';
import { skyEventOf } from './in-log.ts';
import type { FileChange, ToolReceipt } from './receipts.ts';
import { NotInExport, ReplayFiles } from './replay-files.ts';
import { TOOL_ARGS } from './tools/args.ts';
import { isDeterministic, runDeterministic } from './tools/deterministic.ts';
import type { ToolOutcome } from './tools/files.ts';

/** A line of an export that says something else than a replay of it. */
export type Difference = { readonly line: number; readonly reason: string };

type Left = { readonly data?: { readonly text: string } | undefined } | null;
type Result = Extract<SkyEvent, { type: 'tool.result' }>;

/** What is known of a call once it has a result. */
type Ended = {
  readonly line: number;
  readonly name: string;
  readonly argsHash: string | null;
  readonly outputHash: string;
  readonly status: Result['status'];
  readonly code: string | undefined;
  /** Null: it was not done again. */
  readonly change: { readonly value: FileChange | undefined } | null;
  receipt: boolean;
};

/** Codes of calls that ended before they were done, or after. */
const UNSURE = ['interrupted', 'timeout', 'failed'];
/** Codes of failures that follow from the arguments and the files; the others are refusals and accidents. */
const SETTLED = ['not_found', 'no_match', 'bad_args', 'too_large'];

/**
 * Does the calls of an export again, as far as their outcome follows from what the export holds, and compares every
 * call with its receipt. Lines are given in their order; they were verified before.
 */
export class SkyReplay {
  #files = new ReplayFiles(false);
  #open = new Map<string, { name: string; args?: unknown }>();
  #ended = new Map<string, Ended>();
  /** `replayed`: done again. `missing`: would be, if the files were in the export. */
  counts = { calls: 0, replayed: 0, missing: 0 };

  async next(line: SkyExportLine): Promise<Difference[]> {
    const differs = (reason: string): Difference => ({ line: line.n, reason });
    if (line.type === 'sky.export') this.#files = new ReplayFiles(line.body.after.seq === 0);
    else if (line.type === 'event') {
      const reading = skyEventOf(line.body);
      if (reading.ok && reading.event)
        return (await this.#event(line.n, reading.event)).map(differs);
    } else if (line.type === 'receipt' && line.body.type === 'receipt.tool')
      return this.#receipt(line.body).map(differs);
    else if (line.type === 'end') return this.#unreceipted();
    return [];
  }

  async #event(line: number, event: SkyEvent): Promise<string[]> {
    if (event.type === 'run.error') this.#cutOff();
    if (!('tool_call_id' in event)) return [];
    const key = keyOf(event);
    if (event.type === 'tool.call.started') this.#open.set(key, { name: event.tool_name });
    const call = this.#open.get(key);
    if (!call) return [];
    if (event.type === 'tool.call.completed') call.args = event.args;
    if (event.type !== 'tool.result') return [];
    this.#open.delete(key);
    this.counts.calls += 1;
    const done = await this.#again(call, event);
    this.#ended.set(key, {
      line,
      name: call.name,
      argsHash: 'args' in call ? await hashJson(call.args) : null,
      outputHash: await hashJson(event.output),
      status: event.status,
      code: event.error_code,
      change: done === null ? null : { value: done.change },
      receipt: false,
    });
    if (done === null) return [];
    const output = { ...done.output, workspace: generationOf(event.output) };
    const same = sameJson(output, event.output) && done.ok === (event.status === 'completed');
    if (same && done.code === event.error_code) return [];
    return [
      `${call.name} gives ${short(output)} when it is done again, not ${short(event.output)}`,
    ];
  }

  /** Null: it cannot be done again. */
  async #again(
    { name, args }: { name: string; args?: unknown },
    { output, status, error_code: code }: Result,
  ): Promise<ToolOutcome | null> {
    if (status === 'error' && UNSURE.includes(code ?? '')) this.#unsure({ name, args }, null);
    if (status === 'error' && !SETTLED.includes(code ?? '')) return null;
    const generation = generationOf(output);
    if (!isDeterministic(name) || generation === null) return null;
    if (!TOOL_ARGS[name].safeParse(args).success) return null;
    this.#files.enter(generation);
    const view = this.#files.view();
    try {
      const outcome = await runDeterministic(name, args, view);
      view.keep();
      this.counts.replayed += 1;
      return outcome;
    } catch (error) {
      if (!(error instanceof NotInExport)) throw error;
      this.counts.missing += 1;
      if (status === 'completed') this.#unsure({ name, args }, TOOL_ARGS.write.safeParse(args));
      return null;
    }
  }

  /** Calls without a result, of a run that was cut off: nobody knows whether they were done. */
  #cutOff(): void {
    for (const call of this.#open.values()) this.#unsure(call, null);
    this.#open.clear();
  }

  /** `left`: what the file has now, where that is known. */
  #unsure({ name, args }: { name: string; args?: unknown }, left: Left): void {
    if (name !== 'write' && name !== 'edit') return;
    const parsed = TOOL_ARGS[name].safeParse(args);
    if (!parsed.success) return;
    this.#files.lose(parsed.data.path, name === 'write' ? (left?.data?.text ?? null) : null);
  }

  #receipt(receipt: ToolReceipt): string[] {
    const call = this.#ended.get(keyOf(receipt));
    if (!call) return ['the receipt is of a call that is not in the log'];
    if (call.receipt) return ['there is a second receipt of the same call'];
    call.receipt = true;
    const checks: [string, boolean][] = [
      ['tool_name', receipt.tool_name === call.name],
      ['args_hash', call.argsHash === null || receipt.args_hash === call.argsHash],
      ['output_hash', receipt.output_hash === call.outputHash],
      ['status', receipt.status === call.status],
      ['error_code', receipt.error_code === call.code],
      ['change', call.change === null || sameJson(receipt.change, call.change.value)],
    ];
    return checks
      .filter(([, same]) => !same)
      .map(
        ([what]) =>
          `${what} of the receipt is not that of the call of ${call.name} in line ${call.line}`,
      );
  }

  #unreceipted(): Difference[] {
    return [...this.#ended.values()]
      .filter(({ receipt }) => !receipt)
      .map(({ line, name }) => ({ line, reason: `the call of ${name} has no receipt` }));
  }
}

const keyOf = (of: {
  run_id: string | null;
  step_id: string | null;
  tool_call_id?: string | undefined;
}) => `${of.run_id}/${of.step_id}/${of.tool_call_id}`;

function generationOf(output: unknown): number | null {
  const given = isObject(output) ? output['workspace'] : null;
  return typeof given === 'number' ? given : null;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
