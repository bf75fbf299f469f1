import { safeValidateUIMessages } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SkyMessage, toSkyMessage, toSkyPart, toUiMessage } from '../../src/sky/index.ts';
import { markedMetadata, OTHER, RUN, skyMessage, skyPart, THREAD } from './arbitraries.ts';
import { TOOL_STATES, toolPart, uiMessage, uiParts } from './ui-arbitraries.ts';

const of = { thread_id: THREAD };
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function thereAndBack(message: unknown): unknown {
  const sky = toSkyMessage(message, of);
  // Through the text of an export.
  return asJson(toUiMessage(SkyMessage.parse(asJson(sky)), of));
}

const holding = (part: unknown): unknown => ({ id: 'm1', role: 'assistant', parts: [part] });

describe('a message of the AI SDK as one of Sky', () => {
  const kinds = { ...uiParts, ...Object.fromEntries(TOOL_STATES.map((s) => [s, toolPart(s)])) };
  for (const [kind, arbitrary] of Object.entries(kinds)) {
    it(`[SKY5] comes back whole: ${kind}`, () => {
      fc.assert(
        fc.property(arbitrary, (part) => {
          expect(thereAndBack(holding(part))).toEqual(asJson(holding(part)));
        }),
      );
    });

    it(`[SKY5] is a message that the AI SDK takes, before and after: ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(arbitrary, async (part) => {
          const messages = [holding(part), thereAndBack(holding(part))];
          expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true });
        }),
        { numRuns: 40 },
      );
    });
  }

  it('[SKY5] comes back whole with any parts and any metadata', () => {
    fc.assert(
      fc.property(uiMessage, (message) => {
        expect(thereAndBack(message)).toEqual(asJson(message));
      }),
      { numRuns: 500 },
    );
  });

  it('[SKY5] comes back whole where its metadata looks like marks of Sky', () => {
    fc.assert(
      fc.property(fc.constantFrom('user', 'assistant'), markedMetadata, (role, metadata) => {
        const message = { id: 'm1', role, metadata, parts: [] };
        expect(thereAndBack(message)).toEqual(asJson(message));
      }),
      { numRuns: 2000 },
    );
  });

  it('[SKY5] keeps keys and types of parts that nobody knows', () => {
    const message = {
      id: 'm1',
      role: 'user',
      createdAt: '2026-01-01',
      parts: [{ type: 'hologram', size: 3 }, { type: 'tool', x: 1 }, { type: 'ui' }, { type: '' }],
    };
    expect(thereAndBack(message)).toEqual(message);
  });

  it('[SKY4] has the simple part where there is one', () => {
    const sha256 = 'a'.repeat(64);
    expect(toSkyPart({ type: 'text', text: 'hi', state: 'done' })).toEqual({
      type: 'text',
      text: 'hi',
      ui: { state: 'done' },
    });
    expect(
      toSkyPart({ type: 'file', mediaType: 'image/png', url: 'https://x.test/a.png' }),
    ).toEqual({ type: 'image', media_type: 'image/png', url: 'https://x.test/a.png' });
    const url = `r2://blobs/chat/a.pdf#sha256=${sha256}`;
    expect(
      toSkyPart({ type: 'file', mediaType: 'application/pdf', url, filename: 'a.pdf' }),
    ).toEqual({ type: 'ref', ref: url, media_type: 'application/pdf', filename: 'a.pdf' });
    const call = { type: 'tool-read', toolCallId: 'c1', state: 'output-available' };
    expect(toSkyPart({ ...call, input: { path: 'a' }, output: 'b' })).toEqual({
      type: 'json',
      kind: 'tool',
      value: {
        tool_call_id: 'c1',
        tool_name: 'read',
        state: 'output-available',
        args: { path: 'a' },
        output: 'b',
      },
    });
  });

  it('[SKY4] takes its run, its time and its model from metadata.sky', () => {
    const metadata = { sky: { run_id: RUN, model: 'm', created_at: '2026-01-01T00:00:00Z' }, a: 1 };
    const message = { id: 'm1', role: 'assistant', metadata, parts: [] };
    expect(toSkyMessage(message, of)).toEqual({
      id: 'm1',
      thread_id: THREAD,
      run_id: RUN,
      role: 'assistant',
      content: [],
      created_at: '2026-01-01T00:00:00Z',
      metadata: { model: 'm', ui: { a: 1 } },
    });
  });

  it.each([
    ['no id', { role: 'user', parts: [] }],
    ['a role of Sky', { id: 'm', role: 'tool', parts: [] }],
    ['a part without a type', { id: 'm', role: 'user', parts: [{ text: 'x' }] }],
    ['too many parts', { id: 'm', role: 'user', parts: Array(5000).fill({ type: 'step-start' }) }],
    ['JSON that is too deep', holding({ type: 'data-x', data: deep(200) })],
  ])('[SKY4] is refused with %s', (_what, message) => {
    expect(() => toSkyMessage(message, of)).toThrow();
  });
});

describe('a message of Sky as one of the AI SDK', () => {
  it('[SKY5] comes back whole, also with parts and roles that the AI SDK does not have', () => {
    fc.assert(
      fc.property(skyMessage, (message) => {
        const sky = SkyMessage.parse(asJson(message));
        const ui = asJson(toUiMessage(sky, of));
        expect(asJson(toSkyMessage(ui, of))).toEqual(asJson(sky));
      }),
      { numRuns: 2000 },
    );
  });

  it('[SKY5] is a message that the AI SDK takes, whatever it holds of what only Sky has', async () => {
    const onlySky = skyPart.filter(
      (part) =>
        (part.type === 'json' && part.kind.startsWith('report')) ||
        (part.type !== 'json' && part.ui === undefined),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(onlySky, { maxLength: 3 }), async (content) => {
        const sky = { id: 'm', thread_id: OTHER, run_id: RUN, role: 'tool' as const, content };
        const ui = toUiMessage({ ...sky, metadata: {} }, of);
        expect(await safeValidateUIMessages({ messages: [ui] })).toMatchObject({ success: true });
      }),
      { numRuns: 100 },
    );
  });
});

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)];
}
