import type { ChatChunk, ChatMessage, ChatPart } from '@filepath/protocol/chat';

/**
 * An answer while it is written: the pieces of the AI SDK's UI message stream, put together as the chat stores them. A
 * part that changes becomes another object, so that a page sees which one did.
 */
export class Answer {
  #id: string;
  #parts: ChatPart[];

  /** `before`: the answer that it goes on with. */
  constructor(id: string, before?: ChatMessage) {
    this.#id = before?.id ?? id;
    this.#parts = [...(before?.parts ?? [])];
  }

  get empty(): boolean {
    return this.#parts.length === 0;
  }

  message(): ChatMessage {
    return { id: this.#id, role: 'assistant', parts: [...this.#parts] };
  }

  apply(chunk: ChatChunk): void {
    const { type } = chunk;
    if (type === 'start') this.#id = chunk.messageId ?? this.#id;
    else if (type.startsWith('text-') || type.startsWith('reasoning-')) this.#text(chunk);
    else if (type.startsWith('tool-')) this.#tool(chunk);
    else if (type.startsWith('data-')) this.#data(chunk);
    else if (type === 'start-step') this.#parts.push({ type: 'step-start' });
    else if (type === 'file' || type.startsWith('source-')) this.#parts.push({ ...chunk });
  }

  #text({ type, delta = '' }: ChatChunk): void {
    const [kind = '', what] = type.split('-');
    if (what === 'start') {
      this.#parts.push({ type: kind, text: '', state: 'streaming' });
      return;
    }
    const at = this.#parts.findLastIndex((part) => part.type === kind);
    const part = this.#parts[at];
    if (what === 'end') {
      if (part) this.#parts[at] = { ...part, state: 'done' };
    } else if (part) this.#parts[at] = { ...part, text: (part.text ?? '') + delta };
    else this.#parts.push({ type: kind, text: delta, state: 'streaming' });
  }

  #tool(chunk: ChatChunk): void {
    const { type, toolCallId, toolName = 'tool' } = chunk;
    if (toolCallId === undefined) return;
    const at = this.#parts.findLastIndex((part) => part.toolCallId === toolCallId);
    const part = this.#parts[at];
    const made: ChatPart = part ?? { type: `tool-${toolName}`, toolCallId, toolName };
    const next = advanced(made, chunk);
    if (next === null || (!part && !type.startsWith('tool-input-'))) return;
    if (part) this.#parts[at] = next;
    else this.#parts.push(next);
  }

  /** A part with an id takes the place of the one that has it. */
  #data({ type, id, transient, ...rest }: ChatChunk): void {
    if (transient === true) return;
    const part: ChatPart = { type, ...(id !== undefined && { id }), data: rest['data'] };
    const at =
      id === undefined
        ? -1
        : this.#parts.findLastIndex((one) => one.type === type && one.id === id);
    if (at < 0) this.#parts.push(part);
    else this.#parts[at] = part;
  }
}

const SETTLED: ReadonlySet<string | undefined> = new Set([
  'output-available',
  'output-error',
  'output-denied',
]);

/** A call of a tool after a piece of news. Null: there is nothing new in it. */
function advanced(part: ChatPart, chunk: ChatChunk): ChatPart | null {
  switch (chunk.type) {
    case 'tool-input-start':
      return part.state === undefined ? { ...part, state: 'input-streaming' } : null;
    case 'tool-input-delta': {
      if (part.state !== 'input-streaming') return null;
      const before = part['inputText'];
      const text = (typeof before === 'string' ? before : '') + (chunk.inputTextDelta ?? '');
      return { ...part, inputText: text };
    }
    case 'tool-input-available': {
      if (part.state !== undefined && part.state !== 'input-streaming') return null;
      const { inputText: _written, ...rest } = part;
      return { ...rest, state: 'input-available', input: chunk['input'] };
    }
    case 'tool-input-error':
      if (SETTLED.has(part.state)) return null;
      return { ...part, state: 'output-error', errorText: chunk.errorText, input: chunk['input'] };
    case 'tool-output-available':
      return { ...part, state: 'output-available', output: chunk['output'] };
    case 'tool-output-error':
      return { ...part, state: 'output-error', errorText: chunk.errorText };
    case 'tool-output-denied':
      return SETTLED.has(part.state) ? null : { ...part, state: 'output-denied' };
    default:
      return null;
  }
}
