import type { Voice } from '../driver/voice.ts';
import { planOf } from './plan.ts';
import type { ToolCalls } from './tool-calls.ts';
import { type ContentBlock, type PromptAnswer, SessionUpdate } from './wire.ts';

type Chunk = Extract<
  SessionUpdate,
  { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }
>;

/** What a program says of its session, as events. */
export class Said {
  /** Its context was compacted in this turn, and what it kept, as far as it tells. */
  compacted: { summary: string } | null = null;
  /** How full the context is, from 0 to 1, as far as it tells. */
  contextPct = 0;
  #voice: Voice;
  #calls: ToolCalls;
  #prefix: string;
  #texts = 0;
  #open: { id: string; message: string | null; text: string } | null = null;
  #thought = '';

  constructor(voice: Voice, calls: ToolCalls, prefix: string) {
    this.#voice = voice;
    this.#calls = calls;
    this.#prefix = prefix;
  }

  beginTurn(): void {
    this.compacted = null;
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
        this.finish();
        this.#calls.update(update);
        return this.#voice.working();
      case 'plan': {
        const plan = planOf(update.entries);
        if (plan) this.#voice.say(plan);
        return;
      }
      case 'usage_update':
        // Nothing used is what opencode says of a call that failed.
        if (update.size === 0 || update.used === 0) return;
        this.contextPct = update.used / update.size;
        return this.#voice.working({ contextPct: this.contextPct });
      case 'notice':
        return this.#voice.log(update.severity === 'error' ? 'error' : 'warn', update.title);
      case 'compaction_update':
        this.compacted ??= { summary: '' };
        return this.#voice.log('info', `the context is being compacted (${update.status ?? ''})`);
      case 'compaction_summary_chunk':
        this.compacted = { summary: (this.compacted?.summary ?? '') + textOf(update.content) };
    }
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
    if (thought !== '') this.#voice.log('debug', `thought: ${thought}`);
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
    if (this.#thought !== '' || (this.#open && this.#open.message !== message)) this.finish();
    this.#open ??= { id: `${this.#prefix}${++this.#texts}`, message, text: '' };
    this.#open.text += text;
    this.#voice.say({ type: 'text', id: this.#open.id, partial: true, content: text });
    this.#voice.working();
  }

  #onThought(chunk: Chunk): void {
    const text = textOf(chunk.content);
    if (text === '') return;
    if (this.#open) this.finish();
    this.#thought += text;
    this.#voice.working();
  }
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text ?? '';
  return block.uri ? `\n[${block.type}: ${block.uri}]\n` : `\n[${block.type}]\n`;
}
