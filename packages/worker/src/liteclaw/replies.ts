import { OFFLINE_MODEL } from '@filepath/protocol';
import { log } from '../http/log.ts';
import { answer, type UiChunk } from './answer.ts';
import { contextOf, type Said } from './context.ts';
import type { ChatMemory } from './memory.ts';
import type { chatModel } from './model.ts';
import type { LiteclawSettings } from './settings.ts';
import { uiResponse } from './stream.ts';
import type { Turns } from './turns.ts';

type Deps = {
  readonly chat: string;
  readonly settings: LiteclawSettings;
  readonly turns: Turns;
  readonly memory: ChatMemory;
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
    const { turns, memory, settings, show } = this.#deps;
    const message = said.findLast(({ role }) => role === 'user')?.id ?? null;
    turns.begin(request, message, settings.modelConfigId);
    return uiResponse(async (write) => {
      write({ type: 'start' });
      show('thinking');
      const { summary } = memory;
      const context = contextOf(memory.rest(said), settings, { summary, goOn });
      const end = await this.#answer(context, signal, write);
      this.#end(request, end);
      show(end.failure ? 'error' : 'ready');
      if (end.failure) {
        write({ type: 'data-error', data: end.failure });
        write({ type: 'error', errorText: end.failure.message });
      } else write({ type: 'finish' });
    });
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
    this.#deps.memory.forget();
    this.#deps.show('ready');
  }

  async #answer(
    context: ReturnType<typeof contextOf>,
    signal: AbortSignal,
    write: (chunk: UiChunk) => void,
  ): ReturnType<typeof answer> {
    const { settings, redact, chat } = this.#deps;
    try {
      const model = await this.#deps.model();
      const end = await answer({ ...context, model, settings, signal, write, now: Date.now });
      if (!end.failure) return end;
      return { ...end, failure: { ...end.failure, message: redact(end.failure.message) } };
    } catch (error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log('error', 'chat turn failed', { chat, error: redact(detail) });
      const failure = { code: 'model', message: BROKEN } as const;
      return { outcome: 'error', streamed: true, firstAt: null, failure };
    }
  }

  #end(request: string, end: Awaited<ReturnType<typeof answer>>): void {
    const { turns, settings, chat } = this.#deps;
    const { outcome, streamed, firstAt, failure } = end;
    const code = failure?.code;
    const took = turns.end(request, { outcome, firstAt, streamed, ...(code && { code }) });
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
  }
}
