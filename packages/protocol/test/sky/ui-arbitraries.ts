import fc from 'fast-check';
import { json } from '../arbitraries.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const id = fc.string({ minLength: 1, maxLength: 64 });
const object = fc.dictionary(fc.string(), json, { maxKeys: 3 });
/** Provider metadata is an object of objects. */
const providerMetadata = fc.dictionary(fc.string({ minLength: 1 }), object, { maxKeys: 2 });
const state = fc.constantFrom('streaming', 'done');
const mediaType = fc.constantFrom('image/png', 'image', 'application/pdf', 'text/plain');
const url = fc.oneof(
  fc.webUrl(),
  fc.constant('data:image/png;base64,iVBORw0KGgo='),
  fc.constant(`r2://blobs/chat/a%20b.png#sha256=${'a'.repeat(64)}`),
  fc.constant(`r2://blobs/../x#sha256=${'a'.repeat(64)}`),
  text,
);

type Shape = Record<string, fc.Arbitrary<unknown>>;

function part(type: string | fc.Arbitrary<string>, required: Shape, optional: Shape = {}) {
  const shape: Shape = {
    type: typeof type === 'string' ? fc.constant(type) : type,
    ...required,
    ...optional,
  };
  return fc.record(shape, { requiredKeys: ['type', ...Object.keys(required)] });
}

const file = part(
  'file',
  { mediaType, url },
  { filename: text, providerMetadata, providerReference: fc.constant({ openai: 'file-1' }) },
);
const plainText = part('text', { text }, { providerMetadata });

/** The parts of `UIMessage` but for tools, by type. */
export const uiParts: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: part('text', { text }, { state, providerMetadata }),
  reasoning: part('reasoning', { text }, { id, state, providerMetadata }),
  custom: part('custom', { kind: fc.constant('openai.compaction') }, { providerMetadata }),
  'source-url': part('source-url', { sourceId: id, url }, { title: text, providerMetadata }),
  'source-document': part(
    'source-document',
    { sourceId: id, mediaType, title: text },
    { filename: text, providerMetadata },
  ),
  file,
  'reasoning-file': part('reasoning-file', { mediaType, url }, { providerMetadata }),
  data: part(
    fc.oneof(
      id.map((name) => `data-${name}`),
      fc.constant('data-sky-part'),
    ),
    { data: json },
    { id },
  ),
  'steering-message': part('steering-message', {
    id,
    parts: fc.array(fc.oneof(plainText, file), { maxLength: 2 }),
  }),
  'step-start': part('step-start', {}),
};

const approval = (approved: fc.Arbitrary<boolean> | null) =>
  fc.record(
    {
      id,
      ...(approved === null ? {} : { approved, reason: text }),
      requestReason: text,
      isAutomatic: fc.boolean(),
      signature: text,
      descriptor: json,
      inputSchemaInput: json,
    },
    { requiredKeys: ['id', ...(approved === null ? [] : (['approved'] as const))] },
  );

const input = json;
const call = { callProviderMetadata: providerMetadata };
const result = { ...call, resultProviderMetadata: providerMetadata };
const yes = approval(fc.constant(true));

/** What a part of a tool has in each of its states. */
const states: Readonly<Record<string, [required: Shape, optional: Shape]>> = {
  'input-streaming': [
    {},
    { input, rawInput: text, inputEncoding: fc.constantFrom('json', 'text'), ...call },
  ],
  'input-available': [{ input }, call],
  'approval-requested': [{ input, approval: approval(null) }, call],
  'approval-responded': [{ input, approval: approval(fc.boolean()) }, call],
  'output-available': [
    { input, output: json },
    { ...result, preliminary: fc.boolean(), approval: yes },
  ],
  'output-error': [{ errorText: text }, { input, ...result, approval: yes }],
  'output-denied': [{ input, approval: approval(fc.constant(false)) }, call],
};
export const TOOL_STATES = Object.keys(states);

export function toolPart(name: string): fc.Arbitrary<unknown> {
  const [required, optional] = states[name] ?? [{}, {}];
  const shared = { title: text, toolMetadata: object, providerExecuted: fc.boolean() };
  const own: Shape = { toolCallId: id, state: fc.constant(name), ...required };
  const known = id.map((tool) => `tool-${tool}`);
  return fc.oneof(
    part(known, own, { ...optional, ...shared }),
    part(
      'dynamic-tool',
      { toolName: id, ...own },
      { ...optional, ...shared, dynamic: fc.constant(false) },
    ),
  );
}

export const anyPart = fc.oneof(...Object.values(uiParts), ...TOOL_STATES.map(toolPart));

export const uiMessage = fc.record(
  {
    id,
    role: fc.constantFrom('system', 'user', 'assistant'),
    metadata: fc.oneof(json, object),
    parts: fc.array(anyPart, { maxLength: 6 }),
  },
  { requiredKeys: ['id', 'role', 'parts'] },
);
