import { isObject, sameJson } from '../json.ts';
import { SkyPart } from './message.ts';
import { parseRef } from './refs.ts';
import { SkyToolCall } from './tool-call.ts';

/** A part of a message of the AI SDK: its type, and whatever that type has. */
export type UiPart = { type: string; [key: string]: unknown };

export function isUiPart(value: unknown): value is UiPart {
  return isObject(value) && typeof value['type'] === 'string';
}

/** Carries a part of Sky that no part of the AI SDK stands for. */
const CARRIER = 'data-sky-part';
/** The kind of a `json` part whose value is a whole part of the AI SDK. */
const WHOLE = 'ui';
/** Types of the AI SDK whose parts are `json` of that kind. A part of another kind is carried: the AI SDK would refuse it. */
const KINDS =
  /^(reasoning|reasoning-file|custom|source-url|source-document|file|steering-message|step-start|dynamic-tool|(data|tool)-.*)$/s;

/** The simplest part of Sky from which the given one is made again. */
export function toSkyPart(part: UiPart): SkyPart {
  return carried(part) ?? simplest(part);
}

export function toUiPart(part: SkyPart): UiPart {
  return standsFor(part) ?? { type: CARRIER, data: part };
}

function carried(part: UiPart): SkyPart | null {
  if (part.type !== CARRIER || Object.keys(part).length !== 2) return null;
  const { data, success } = SkyPart.safeParse(part['data']);
  return success && sameJson(data, part['data']) && standsFor(data) === null ? data : null;
}

/** The part of the AI SDK that becomes this part again. */
function standsFor(part: SkyPart): UiPart | null {
  const made = uiOf(part);
  return made !== null && sameJson(toSkyPart(made), part) ? made : null;
}

function simplest(part: UiPart): SkyPart {
  for (const candidate of [textOf(part), fileOf(part), toolOf(part), anyOf(part)]) {
    const parsed = SkyPart.safeParse(candidate);
    if (parsed.success && sameJson(uiOf(parsed.data), part)) return parsed.data;
  }
  return { type: 'json', kind: WHOLE, value: part };
}

function textOf({ type, text, ...rest }: UiPart): unknown {
  return type === 'text' ? { type, text, ...beside(rest) } : null;
}

function fileOf({ type, mediaType, url, filename, ...rest }: UiPart): unknown {
  if (type !== 'file' || typeof mediaType !== 'string' || typeof url !== 'string') return null;
  const named = filename === undefined ? {} : { filename };
  if (parseRef(url) !== null) {
    return { type: 'ref', ref: url, media_type: mediaType, ...named, ...beside(rest) };
  }
  if (!/^image(\/|$)/.test(mediaType)) return null;
  return { type: 'image', media_type: mediaType, url, ...named, ...beside(rest) };
}

function toolOf(part: UiPart): unknown {
  const { type, toolCallId, toolName, state, input, output, errorText, ...rest } = part;
  const dynamic = type === 'dynamic-tool';
  if (!dynamic && !type.startsWith('tool-')) return null;
  const value = {
    tool_call_id: toolCallId,
    tool_name: dynamic ? toolName : type.slice('tool-'.length),
    state,
    ...(input === undefined ? {} : { args: input }),
    ...(output === undefined ? {} : { output }),
    ...(errorText === undefined ? {} : { error: errorText }),
    ...(dynamic ? { dynamic: true } : {}),
    ...beside(rest),
  };
  return SkyToolCall.safeParse(value).success ? { type: 'json', kind: 'tool', value } : null;
}

function anyOf({ type, ...value }: UiPart): unknown {
  return { type: 'json', kind: type, value };
}

function beside(rest: Record<string, unknown>): { ui?: Record<string, unknown> } {
  return Object.keys(rest).length === 0 ? {} : { ui: rest };
}

function uiOf(part: SkyPart): UiPart | null {
  switch (part.type) {
    case 'text':
      return { ...part.ui, type: 'text', text: part.text };
    case 'image':
      return { ...part.ui, ...fileKeys(part), url: part.url };
    case 'ref':
      return { ...part.ui, ...fileKeys(part), url: part.ref };
    case 'json': {
      if (part.kind === WHOLE) return isUiPart(part.value) ? part.value : null;
      if (part.kind === 'tool') return uiToolOf(part.value);
      if (!KINDS.test(part.kind) || !isObject(part.value)) return null;
      return { ...part.value, type: part.kind };
    }
  }
}

function fileKeys({ media_type, filename }: { media_type: string; filename?: string | undefined }) {
  const named = filename === undefined ? {} : { filename };
  return { type: 'file', mediaType: media_type, ...named };
}

function uiToolOf(value: unknown): UiPart | null {
  const { data: call } = SkyToolCall.safeParse(value);
  if (call === undefined) return null;
  return {
    ...call.ui,
    type: call.dynamic ? 'dynamic-tool' : `tool-${call.tool_name}`,
    ...(call.dynamic ? { toolName: call.tool_name } : {}),
    toolCallId: call.tool_call_id,
    state: call.state,
    ...(call.args === undefined ? {} : { input: call.args }),
    ...(call.output === undefined ? {} : { output: call.output }),
    ...(call.error === undefined ? {} : { errorText: call.error }),
  };
}
