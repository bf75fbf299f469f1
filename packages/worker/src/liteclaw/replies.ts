import { OFFLINE_MODEL } from '@filepath/protocol';
import { log } from '../http/log.ts';
import type { Sql } from '../storage/sql.ts';
import { answer, type UiChunk } from './answer.ts';
import { toSkyPart } from '@filepath/protocol/sky';
import { charsFor, contextOf, filesOf, type Said, textOf, wordsOf } from './context.ts';
import type { ChatExtensions, RunExtensions } from './extensions/chat-extensions.ts';
import type { ChatFiles } from './files/chat-files.ts';
import { readShown } from './files/shown-files.ts';
import type { ChatMemory } from './memory.ts';
import type { chatModel } from './model.ts';
import { ModelSteps } from './model-steps.ts';
import type { SaidTable } from './said.ts';
import type { LiteclawSettings } from './settings.ts';
import type { RunEnd, SaidBody, SkyEvents, SkyLog } from './sky-log.ts';
import { uiResponse } from './stream.ts';
import type { ChatTools } from './tools/chat-tools.ts';
import type { Turns } from './turns.ts';

type Deps = {
  readonly chat: string;
  readonly sql: Sql;
  readonly log: SkyLog;
  readonly table: SaidTable;
  readonly settings: LiteclawSettings;
  readonly turns: Turns;
  readonly memory: ChatMemory;
  readonly files: ChatFiles;
  readonly tools: ChatTools;
  readonly extensions: ChatExtensions;
  readonly model: () => ReturnType<typeof chatModel>;
  readonly redact: (text: string) => string;
  /** Tells clients how the chat stands. */
  readonly show: (state: 'ready' | 'thinking' | 'error') => void;
};

type Asked = {
  readonly request: string;
  readonly said: readonly Said[];
  /** What was interrupted is gone on with. */
  readonly goOn: boolean;
  readonly signal: AbortSignal;
};

type Answering = {
  readonly context: ReturnType<typeof contextOf>;
  readonly signal: AbortSignal;
  readonly write: (chunk: UiChunk) => void;
  readonly steps: ModelSteps;
  readonly run: SkyEvents;
  readonly extensions: RunExtensions;
  /** Milliseconds since its message came. */
  readonly waited: number;
};

const BROKEN = 'Something went wrong here while the answer was made. Send your message again.';

/** The answers of a chat, each counted and logged, and what goes into its summary after them. */
export class Replies {
  #deps: Deps;
  #folding = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The answer as the SDK reads it. A failure stands in it, and ends it. */
  reply({ request, said, goOn, signal }: Asked): Response {
    const { memory, show, table } = this.#deps;
    const asked = said.findLast(({ role }) => role === 'user');
    const run = this.#begin(request, asked);
    return uiResponse(async (write) => {
      write({ type: 'start' });
      show('thinking');
      const { summary } = memory;
      const rest = memory.rest(said);
      const found = asked ? table.recall(wordsOf(asked), rest[0]?.id) : '';
      const files = await readShown(rest.flatMap(filesOf), this.#deps.files);
      const message = asked ? { id: asked.id, text: textOf(asked) } : null;
      const extensions = await this.#deps.extensions.begin({ run: run.run, message, signal });
      const beside = { summary, goOn, found, files };
      const context = contextOf(rest, this.#within(extensions), beside);
      const steps = new ModelSteps(run, Date.now);
      const waited = this.#deps.turns.waited(request);
      const end = await this.#answer({ context, signal, write, steps, run, extensions, waited });
      const durationMs = this.#end(request, run, end, steps, signal);
      const { status } = statusOf(end, signal);
      extensions.complete({ status, output: steps.output, durationMs });
      show(end.failure ? 'error' : 'ready');
      if (end.failure) {
        write({ type: 'data-error', data: end.failure });
        write({ type: 'error', errorText: end.failure.message });
      } else write({ type: 'finish' });
    });
  }

  #within({ prompt }: RunExtensions): LiteclawSettings {
    const settings = this.#deps.tools.within(this.#deps.settings);
    if (prompt === '') return settings;
    return { ...settings, systemPrompt: `${settings.systemPrompt}\n\n${prompt}` };
  }

  /** Puts what is old into the summary, where there is enough of it. */
  async fold(said: readonly Said[]): Promise<void> {
    const { memory, settings } = this.#deps;
    const old = memory.due(said, settings.turns);
    if (!old) return;
    const { signal } = this.#folding;
    const model = await this.#deps.model();
    // A script writes no summary.
    const offline = typeof model !== 'string' && model.modelId === OFFLINE_MODEL;
    await memory.fold(old, offline ? null : model, signal);
  }

  forget(): void {
    this.#folding.abort();
    this.#folding = new AbortController();
    const { sql, memory, log: chain, table, files, show } = this.#deps;
    sql.transaction(() => {
      memory.forget();
      files.forget();
      table.clear();
      chain.reset();
    });
    show('ready');
  }

  /** The turn and its run begin in one transaction. */
  #begin(request: string, asked: Said | undefined): SkyEvents {
    const { sql, turns, log: chain, table, settings } = this.#deps;
    const { modelConfigId } = settings;
    const message = asked ? bodyOf(asked) : null;
    return sql.transaction(() => {
      turns.begin(request, message?.id ?? null, modelConfigId);
      const run = chain.begin({ request, message, modelConfigId });
      if (message) table.opened(message.id, run.run);
      return run;
    });
  }

  async #answer({
    context,
    signal,
    write,
    steps,
    run,
    extensions,
    waited,
  }: Answering): ReturnType<typeof answer> {
    const { redact, chat } = this.#deps;
    const settings = withTimeLeft(this.#deps.settings, waited);
    try {
      const [model, tools] = await Promise.all([
        this.#deps.model(),
        this.#deps.tools.run(run, write, charsFor(settings), extensions),
      ]);
      const ask = { ...context, model, settings, signal, write, steps, tools, now: Date.now };
      const end = await answer(ask);
      if (!end.failure) return end;
      return { ...end, failure: { ...end.failure, message: redact(end.failure.message) } };
    } catch (error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log('error', 'chat turn failed', { chat, error: redact(detail) });
      const failure = { code: 'model', message: BROKEN } as const;
      return { outcome: 'error', streamed: true, firstAt: null, failure };
    }
  }

  #end(
    request: string,
    run: SkyEvents,
    end: Awaited<ReturnType<typeof answer>>,
    steps: ModelSteps,
    signal: AbortSignal,
  ): number {
    const { sql, turns, log: chain, settings, chat } = this.#deps;
    const { outcome, streamed, firstAt, failure } = end;
    const code = failure?.code;
    const took = sql.transaction(() => {
      const times = turns.end(request, { outcome, firstAt, streamed, ...(code && { code }) });
      chain.end(run.run, {
        ...statusOf(end, signal),
        output: steps.output,
        ttftMs: times?.ttftMs ?? null,
        ...(steps.tokens && { tokens: steps.tokens }),
      });
      return times;
    });
    log('info', 'chat turn', {
      chat,
      request,
      outcome,
      code,
      ttft_ms: took?.ttftMs ?? null,
      duration_ms: took?.durationMs ?? null,
      streamed,
      model_config_id: settings.modelConfigId,
    });
    return took?.durationMs ?? 0;
  }
}

/** The time to the first word counts from the message. One that is answered after a kill has half of it in any case. */
export function withTimeLeft(settings: LiteclawSettings, waited: number): LiteclawSettings {
  const { firstByteMs } = settings;
  return { ...settings, firstByteMs: Math.max(firstByteMs / 2, firstByteMs - waited) };
}

/** What a person said, as the log has it. */
function bodyOf(asked: Said): SaidBody {
  const files = filesOf(asked).map((part) => toSkyPart({ ...part }));
  return { id: asked.id, content: textOf(asked), ...(files.length > 0 && { files }) };
}

function statusOf(
  { outcome, failure }: Awaited<ReturnType<typeof answer>>,
  signal: AbortSignal,
): Pick<RunEnd, 'status' | 'error'> {
  if (failure) return { status: 'error', error: failure };
  if (outcome !== 'stopped') return { status: 'completed' };
  const status = signal.reason === 'superseded' ? 'superseded' : 'stopped';
  const message =
    status === 'stopped'
      ? 'The answer was stopped.'
      : 'Another message came before this was answered.';
  return { status, error: { code: status, message } };
}
