import type { AgentEvent } from '@filepath/protocol';
import type { Surroundings } from '../driver/program.ts';
import type { AssistantLine, ResultLine, StreamLine, Usage, UserLine } from './lines.ts';
import { Plan } from './plan.ts';
import { textOf, toolEnd, toolStart } from './tools.ts';

/** Until the CLI names the window of its model. */
const USUAL_WINDOW = 200_000;

/** What the CLI says, in FAP's words. */
export class Translator {
  #with: Pick<Surroundings, 'voice' | 'cwd'>;
  #plan = new Plan();
  #window = USUAL_WINDOW;
  /** Blocks heard of the message that is being written: their number joins a text with its deltas. */
  #blocks = { message: '', heard: 0 };
  #model: string | undefined;

  constructor(surroundings: Pick<Surroundings, 'voice' | 'cwd'>) {
    this.#with = surroundings;
  }

  stream({ event, parent_tool_use_id: parent }: StreamLine): void {
    if (parent) return;
    if (event.type === 'message_start' && event.message) this.#enter(event.message.id);
    if (event.type !== 'content_block_delta' || event.delta?.type !== 'text_delta') return;
    const { text = '' } = event.delta;
    const id = textId(this.#blocks.message, event.index ?? 0);
    this.#with.voice.say({ type: 'text', id, partial: true, content: text });
  }

  assistant({ message, parent_tool_use_id, is_api_error_message }: AssistantLine): void {
    const parent = parent_tool_use_id ?? undefined;
    if (parent === undefined) this.#enter(message.id);
    for (const block of message.content) {
      const index = parent === undefined ? this.#blocks.heard++ : 0;
      if (block.type === 'text') {
        // The text of an error comes again with the result, which ends the turn.
        if (is_api_error_message !== true) this.#text(block.text ?? '', index, parent);
      } else if (block.type === 'thinking') {
        this.#think(block.thinking ?? '', parent);
      } else if (block.type === 'tool_use') {
        this.#with.voice.say(toolStart(block, parent, this.#with.cwd));
        const steps = parent === undefined && this.#plan.after(block.name ?? '', block.input);
        if (steps) this.#with.voice.say({ type: 'plan', steps });
      }
    }
    if (parent !== undefined || is_api_error_message === true) return;
    this.#model = message.model ?? this.#model;
    this.#with.voice.working(this.#context(message.usage));
  }

  user({ message, tool_use_result }: UserLine): void {
    if (typeof message.content === 'string') return;
    for (const block of message.content) {
      if (block.type !== 'tool_result') continue;
      const open = this.#with.voice.opened((block.tool_use_id ?? '').slice(0, 128));
      if (open) this.#with.voice.say(toolEnd(open, block, tool_use_result, this.#with.cwd));
    }
    this.#with.voice.working();
  }

  result(line: ResultLine): void {
    for (const { contextWindow } of Object.values(line.modelUsage ?? {})) {
      if (contextWindow !== undefined && contextWindow > 0) this.#window = contextWindow;
    }
    const usage = usageEvent(line.usage, this.#model);
    if (usage) this.#with.voice.say(usage);
  }

  /** The summary by which the CLI goes on after it has compacted its context. */
  static summaryOf(line: UserLine): string {
    const text =
      typeof line.message.content === 'string'
        ? line.message.content
        : textOf(line.message.content);
    const [body = ''] = text
      .replace(/<system-reminder>[\s\S]*?<\/system-reminder>\n?/g, '')
      .replace(/^This session is being continued from a previous conversation.*\n+/, '')
      .split('\nIf you need specific details from before compaction');
    return body.trim() === '' ? text : body.trim();
  }

  #enter(message: string): void {
    if (this.#blocks.message !== message) this.#blocks = { message, heard: 0 };
  }

  #text(content: string, index: number, parent: string | undefined): void {
    if (content === '') return;
    if (parent === undefined) {
      const id = textId(this.#blocks.message, index);
      this.#with.voice.say({ type: 'text', id, content });
    } else this.#with.voice.say({ type: 'log', level: 'info', message: content, parent });
  }

  #think(thought: string, parent: string | undefined): void {
    if (thought.trim() === '') return;
    const event = {
      type: 'log' as const,
      level: 'debug' as const,
      message: thought,
      thinking: true,
    };
    this.#with.voice.say(parent === undefined ? event : { ...event, parent });
  }

  #context(usage: Usage | null | undefined): { contextPct?: number } {
    const used =
      (usage?.input_tokens ?? 0) +
      (usage?.cache_read_input_tokens ?? 0) +
      (usage?.cache_creation_input_tokens ?? 0) +
      (usage?.output_tokens ?? 0);
    return used === 0 ? {} : { contextPct: used / this.#window };
  }
}

function textId(message: string, index: number): string {
  return `${message.slice(0, 100)}:${index}`;
}

function usageEvent(usage: Usage | null | undefined, model: string | undefined): AgentEvent | null {
  if (!usage) return null;
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    usage;
  if (!input_tokens && !output_tokens && !cache_read_input_tokens) return null;
  return {
    type: 'usage',
    ...(model === undefined ? {} : { model }),
    input: input_tokens ?? 0,
    output: output_tokens ?? 0,
    cacheRead: cache_read_input_tokens ?? 0,
    cacheWrite: cache_creation_input_tokens ?? 0,
  };
}
