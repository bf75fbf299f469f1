import type { Voice } from '../driver/voice.ts';
import { recordOf } from './facts.ts';
import { planOf } from './plan.ts';
import type { ToolCalls } from './tool-calls.ts';
import { type ContentBlock, type PromptAnswer, SessionUpdate, type ToolCall } from './wire.ts';

type Chunk = Extract<
  SessionUpdate,
  { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }
>;

/** What a turn has shown beside its events. */
export type Shown = {
  /** The context was compacted, and what was kept of it, as far as the program tells. */
  compacted: { summary: string } | null;
  /** codex tells of a failed turn by this and a text. */
  failure: string | null;
};

export type SaidOptions = {
  /** Of the ids of texts whose message has none. */
  readonly prefix: string;
  /** A text without the id of a message is the program's own. */
  readonly namesMessages: boolean;
  readonly asking: () => boolean;
  /** A context has been compacted within a turn. */
  readonly onCompacted: () => void;
};

/** What a program says of its session, as events. */
export class Said {
  /** Null between turns: what is said then changes no status. */
  shown: Shown | null = null;
  /** How full the context is, from 0 to 1, as far as it tells. */
  contextPct = 0;
  #voice: Voice;
  #calls: ToolCalls;
  #texts = 0;
  #open: { id: string; message: string | null; text: string } | null = null;
  #thought = '';
  #summary = '';
  #options: SaidOptions;

  constructor(voice: Voice, calls: ToolCalls, options: SaidOptions) {
    this.#voice = voice;
    this.#calls = calls;
    this.#options = options;
  }

  beginTurn(): void {
    this.shown = { compacted: null, failure: null };
  }

  /** Whatever was being written is whole. */
  endTurn(): Shown {
    this.finish();
    const shown = this.shown ?? { compacted: null, failure: null };
    this.shown = null;
    return shown;
  }

  update(value: unknown): void {
    const parsed = SessionUpdate.safeParse(value);
    if (!parsed.success) return;
    const update = parsed.data;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#onText(update);
      case 'agent_thought_chunk':
        return this.#onThought(update);
      case 'tool_call':
      case 'tool_call_update':
        return this.call(update);
      case 'plan': {
        const plan = planOf(update.entries);
        if (plan) this.#voice.say(plan);
        return;
      }
      case 'usage_update':
        // Nothing used is what opencode says of a call that failed.
        if (update.size === 0 || update.used === 0) return;
        this.contextPct = update.used / update.size;
        return this.#working();
      case 'notice':
        return this.#voice.log(update.severity === 'error' ? 'error' : 'warn', update.title);
      case 'compaction_update':
        return this.#onCompaction(update.status ?? '', (update.summary ?? []).map(textOf).join(''));
      case 'compaction_summary_chunk':
        this.#summary += textOf(update.content);
        return;
      case 'session_info_update':
        if (!this.shown || !isFailed(update._meta)) return;
        this.finish();
        this.shown.failure = '';
    }
  }

  /** Of a call, by an update or by a request for leave. */
  call(part: ToolCall): void {
    this.finish();
    this.#calls.update(part);
    this.#working();
  }

  /** The text that was being written is whole. */
  finish(): void {
    const open = this.#open;
    this.#open = null;
    if (open && open.text.trim() !== '') {
      this.#voice.say({ type: 'text', id: open.id, content: open.text });
    }
    const thought = this.#thought.trim();
    this.#thought = '';
    if (thought !== '') {
      this.#voice.say({ type: 'log', level: 'debug', message: thought, thinking: true });
    }
  }

  used(usage: PromptAnswer['usage'], model: string | undefined): void {
    const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = usage ?? {};
    if (!inputTokens && !outputTokens) return;
    this.#voice.say({
      type: 'usage',
      ...(model ? { model } : {}),
      ...(typeof inputTokens === 'number' ? { input: inputTokens } : {}),
      ...(typeof outputTokens === 'number' ? { output: outputTokens } : {}),
      ...(typeof cachedReadTokens === 'number' ? { cacheRead: cachedReadTokens } : {}),
      ...(typeof cachedWriteTokens === 'number' ? { cacheWrite: cachedWriteTokens } : {}),
    });
  }

  #onText(chunk: Chunk): void {
    const text = textOf(chunk.content);
    if (text === '') return;
    const message = chunk.messageId ?? null;
    if (message === null && this.#options.namesMessages) return this.#onNotice(text);
    if (this.#thought !== '' || (this.#open && this.#open.message !== message)) this.finish();
    this.#open ??= { id: this.#newId(message), message, text: '' };
    this.#open.text += text;
    this.#voice.say({ type: 'text', id: this.#open.id, partial: true, content: text });
    this.#working();
  }

  /** One message of the model may be told in several texts. */
  #newId(message: string | null): string {
    return `${(message ?? this.#options.prefix).slice(0, 100)}-${++this.#texts}`;
  }

  #onNotice(text: string): void {
    if (this.shown && this.shown.failure !== null) this.shown.failure += text;
    else this.#voice.log('warn', text.trim());
  }

  #onThought(chunk: Chunk): void {
    const text = textOf(chunk.content);
    if (text === '') return;
    if (this.#open) this.finish();
    this.#thought += text;
    this.#working();
  }

  #onCompaction(status: string, summary: string): void {
    if (!this.shown) return;
    if (status === 'in_progress') this.#working('compacting its context');
    if (status !== 'completed') return;
    this.shown.compacted = { summary: summary === '' ? this.#summary : summary };
    this.#summary = '';
    this.#options.onCompacted();
  }

  #working(reason?: string): void {
    // A person who is asked is waited for, whatever goes on beside.
    if (!this.shown || this.#options.asking()) return;
    this.#voice.working({
      ...(this.contextPct === 0 ? {} : { contextPct: this.contextPct }),
      ...(reason === undefined ? {} : { reason }),
    });
  }
}

function isFailed(meta: unknown): boolean {
  return recordOf(recordOf(recordOf(meta)['codex'])['threadStatus'])['type'] === 'systemError';
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text ?? '';
  return block.uri ? `\n[${block.type}: ${block.uri}]\n` : `\n[${block.type}]\n`;
}
