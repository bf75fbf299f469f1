import fc from 'fast-check';
import { RunId, ThreadId } from '../../src/index.ts';
import { formatRef, type SkyMessage, type SkyPart, toSkyPart } from '../../src/sky/index.ts';
import { json } from '../arbitraries.ts';
import { anyPart } from './ui-arbitraries.ts';

export const THREAD = ThreadId.parse('th_0123456789ABCDEFGHIJab');
export const OTHER = ThreadId.parse('th_0123456789ABCDEFGHIJcd');
export const RUN = RunId.parse('run_0123456789ABCDEFGHIJab');

const text = fc.string({ unit: 'grapheme' });
const key = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/^\.*$/.test(name));
const ref = fc
  .array(
    key.map((segment) => segment.replaceAll('/', 'x')),
    { minLength: 1, maxLength: 3 },
  )
  .map((segments) =>
    formatRef({ bucket: 'blobs', key: segments.join('/'), sha256: 'b'.repeat(64) }),
  );
const ui = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('type', 'text', 'url', 'state')),
  json,
  { maxKeys: 2 },
);
const record = <T>(shape: Record<string, fc.Arbitrary<unknown>>, required: string[]) =>
  fc.record(shape, { requiredKeys: required }) as fc.Arbitrary<T>;

/** Parts as conversions make them, and such as none makes. */
const own: fc.Arbitrary<SkyPart> = fc.oneof(
  record<SkyPart>({ type: fc.constant('text'), text, ui }, ['type', 'text']),
  record<SkyPart>(
    {
      type: fc.constant('image'),
      media_type: fc.constantFrom('image/png', 'text/plain'),
      url: fc.oneof(text, ref),
      filename: text,
      ui,
    },
    ['type', 'media_type', 'url'],
  ),
  record<SkyPart>(
    { type: fc.constant('ref'), ref, media_type: fc.constant('image/png'), filename: text, ui },
    ['type', 'ref', 'media_type'],
  ),
  record<SkyPart>(
    {
      type: fc.constant('json'),
      kind: fc.oneof(
        fc.constantFrom(
          'ui',
          'tool',
          'text',
          'file',
          'reasoning',
          'data-sky-part',
          'tool-x',
          'report',
        ),
        fc.string({ minLength: 1 }),
      ),
      value: fc.oneof(
        json,
        fc.record({ type: fc.string(), data: json }),
        fc.record({ text }),
        fc.record({
          tool_call_id: fc.constant('c'),
          tool_name: text,
          state: fc.constant('input-available'),
        }),
      ),
    },
    ['type', 'kind', 'value'],
  ),
);
/** Parts inside parts: what carries a part of Sky may itself be carried. */
const nested = (inner: fc.Arbitrary<SkyPart>): fc.Arbitrary<SkyPart> =>
  fc.oneof(
    inner.map((data): SkyPart => ({ type: 'json', kind: 'data-sky-part', value: { data } })),
    inner.map((data): SkyPart => ({
      type: 'json',
      kind: 'ui',
      value: { type: 'data-sky-part', data },
    })),
    inner.map((part): SkyPart => ({ type: 'json', kind: 'ui', value: part })),
  );
export const skyPart: fc.Arbitrary<SkyPart> = fc.oneof(
  own,
  nested(own),
  nested(nested(own)),
  anyPart.map((part) => toSkyPart(part as { type: string })),
);

const marks = fc.record(
  {
    model_config_id: text,
    thread_id: fc.constantFrom(THREAD, OTHER),
    run_id: fc.constant(RUN),
    role: fc.constant('tool'),
    ui: json,
  },
  { requiredKeys: [] },
);
/** Metadata of the AI SDK that looks as if it were written by a conversion. */
export const markedMetadata = fc.oneof(
  json,
  fc.record({ sky: marks }),
  fc.record({ sky: marks, more: json }),
  fc.record({ sky: fc.record({ ui: fc.record({ sky: marks }) }) }),
);

export const skyMessage: fc.Arbitrary<SkyMessage> = fc
  .record(
    {
      id: fc.string({ minLength: 1, maxLength: 64 }),
      thread_id: fc.constantFrom(THREAD, OTHER),
      run_id: fc.constantFrom(null, RUN),
      role: fc.constantFrom(
        'system' as const,
        'user' as const,
        'assistant' as const,
        'tool' as const,
      ),
      content: fc.array(skyPart, { maxLength: 5 }),
      created_at: fc.constant('2026-01-01T00:00:00.000Z'),
      metadata: fc.record(
        {
          model: text,
          duration_ms: fc.nat(),
          policy_flags: fc.array(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 2 }),
          ui: markedMetadata,
          ui_message: fc.dictionary(
            fc.string().map((name) => `x-${name}`),
            json,
            { minKeys: 1, maxKeys: 2 },
          ),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['id', 'thread_id', 'run_id', 'role', 'content', 'metadata'] },
  )
  .map((message) => message as SkyMessage);
