import { NO_TOKENS } from '../gateway/usage.ts';
import { isObject } from '../json.ts';
import type { SkyMessage, SkyPart } from './message.ts';
import { SkyToolCall } from './tool-call.ts';

/** What an entry of pi's session says, without its place in the session. */
export type PiBody =
  | { type: 'message'; message: Record<string, unknown> & { role: string } }
  /** Kept with the session, and never given to a model. */
  | { type: 'custom'; customType: string; data: unknown };

type Content = Record<string, unknown> & { type: string };

const DATA_URL = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=]*)$/;
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** A message in pi's words. What pi has no word for becomes a `custom` entry beside it. */
export function toPiMessages(message: SkyMessage, timestamp: number): PiBody[] {
  switch (message.role) {
    case 'assistant':
      return new Turn(message, timestamp).bodies();
    case 'tool':
      return message.content.map((part) => resultBody(part, message.id, timestamp));
    case 'system':
    case 'user': {
      const said = message.content.map((part) => ({ part, shown: shownOf(part) }));
      const content = said.flatMap(({ shown }) => shown ?? []);
      const rest = said.filter(({ shown }) => shown === null);
      const { role } = message;
      const whole = role === 'user' ? content : content.filter(({ type }) => type === 'text');
      return [
        { type: 'message', message: { role, content: whole, timestamp } },
        ...rest.map(({ part }) => customPart(message.id, part)),
      ];
    }
  }
}

/** An assistant's message of Sky has all its steps; in pi the results of a step stand between it and the next. */
class Turn {
  #message: SkyMessage;
  #timestamp: number;
  #content: Content[] = [];
  #results: PiBody[] = [];
  #done: PiBody[] = [];

  constructor(message: SkyMessage, timestamp: number) {
    this.#message = message;
    this.#timestamp = timestamp;
  }

  bodies(): PiBody[] {
    for (const part of this.#message.content) this.#add(part);
    this.#endStep(true);
    return this.#done;
  }

  #add(part: SkyPart): void {
    const call = callOf(part);
    if (call !== null) {
      this.#content.push(toolCall(call));
      this.#results.push(toolResult(call, this.#timestamp));
      return;
    }
    if (part.type === 'json' && part.kind === 'step-start') return this.#endStep(false);
    const content = thoughtOf(part) ?? shownOf(part);
    if (content === null) {
      this.#results.push(customPart(this.#message.id, part));
      return;
    }
    if (this.#results.some(({ type }) => type === 'message')) this.#endStep(false);
    this.#content.push(...content.map(withoutImage));
  }

  #endStep(last: boolean): void {
    if (this.#content.length > 0) {
      const calls = this.#content.some(({ type }) => type === 'toolCall');
      this.#done.push({
        type: 'message',
        message: {
          role: 'assistant',
          content: this.#content,
          api: 'sky',
          ...modelOf(this.#message),
          usage: usageOf(last ? this.#message.metadata.tokens : undefined),
          stopReason: calls ? 'toolUse' : 'stop',
          timestamp: this.#timestamp,
        },
      });
    }
    this.#done.push(...this.#results);
    this.#content = [];
    this.#results = [];
  }
}

/** What a model is shown of a part; null where it is shown nothing. */
function shownOf(part: SkyPart): Content[] | null {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'image': {
      const [, mimeType, data] = DATA_URL.exec(part.url) ?? [];
      if (mimeType !== undefined) return [{ type: 'image', data, mimeType }];
      return [note('image', part.filename, part.media_type, part.url)];
    }
    case 'ref':
      return [note('file', part.filename, part.media_type, part.ref)];
    case 'json':
      return null;
  }
}

function note(what: string, name: string | undefined, media: string, where: string): Content {
  const address = where.startsWith('data:') ? 'not shown' : where;
  return { type: 'text', text: `[${what} ${name ?? ''} (${media}): ${address}]` };
}

/** What an assistant says has no images in pi. */
function withoutImage(content: Content): Content {
  if (content.type !== 'image') return content;
  return note('image', undefined, String(content['mimeType']), 'data:');
}

function thoughtOf(part: SkyPart): Content[] | null {
  if (part.type !== 'json' || part.kind !== 'reasoning' || !isObject(part.value)) return null;
  const { text } = part.value;
  return typeof text === 'string' ? [{ type: 'thinking', thinking: text }] : null;
}

function callOf(part: SkyPart): SkyToolCall | null {
  if (part.type !== 'json' || part.kind !== 'tool') return null;
  return SkyToolCall.safeParse(part.value).data ?? null;
}

function toolCall({ tool_call_id: id, tool_name: name, args }: SkyToolCall): Content {
  const given = isObject(args) ? args : args === undefined ? {} : { value: args };
  return { type: 'toolCall', id, name, arguments: given };
}

function toolResult(call: SkyToolCall, timestamp: number): PiBody {
  const { state, output, error } = call;
  const text =
    state === 'output-available'
      ? typeof output === 'string'
        ? output
        : JSON.stringify(output ?? null)
      : state === 'output-error'
        ? (error ?? 'The call failed.')
        : state === 'output-denied'
          ? 'The call was denied.'
          : 'The call had no result when the chat was exported.';
  return {
    type: 'message',
    message: {
      role: 'toolResult',
      toolCallId: call.tool_call_id,
      toolName: call.tool_name,
      content: [{ type: 'text', text }],
      isError: state !== 'output-available',
      timestamp,
    },
  };
}

function resultBody(part: SkyPart, message: string, timestamp: number): PiBody {
  const call = callOf(part);
  return call === null ? customPart(message, part) : toolResult(call, timestamp);
}

function customPart(message: string, part: SkyPart): PiBody {
  return { type: 'custom', customType: 'sky.part', data: { message, part } };
}

function modelOf({ metadata }: SkyMessage): { provider: string; model: string } {
  const id = metadata.model_config_id ?? metadata.model ?? '';
  const cut = id.indexOf('/');
  if (cut > 0) return { provider: id.slice(0, cut), model: id.slice(cut + 1) };
  return { provider: 'sky', model: id === '' ? 'unknown' : id };
}

function usageOf(tokens: SkyMessage['metadata']['tokens']): Record<string, unknown> {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens ?? NO_TOKENS;
  const totalTokens = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, reasoning, totalTokens, cost: NO_COST };
}
