import { WireFormat } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meterFor, type Reading } from '../../../src/gateway/meter/meter.ts';
import { countsOf } from '../../../src/gateway/meter/usage.ts';
import { countedBy, endedBy } from '../../../src/gateway/outcome.ts';
import { STREAMS } from './streams.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function readingOf(format: WireFormat, chunks: readonly Uint8Array[], stream = true): Reading {
  const meter = meterFor(format, stream);
  for (const chunk of chunks) {
    meter.push(chunk);
    // Has it read what came so far, which it would put off.
    meter.reading();
  }
  meter.end();
  return meter.reading();
}

describe.each(WireFormat.options)('[GW9] the meter of %s', (format) => {
  const { text, tokens } = STREAMS[format];
  const bytes = encode(text);
  const whole: Reading = { ...readingOf(format, [bytes]) };

  it('counts what the stream says, once', () => {
    expect(whole).toMatchObject({ final: tokens, ended: true, begun: true, error: null });
  });

  it('counts the same wherever the stream is split', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(readingOf(format, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
    expect(
      readingOf(
        format,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(whole);
  });

  it('counts the same where most of it is words, however much comes at once', () => {
    const first = text.indexOf('\n\n', text.indexOf('data:')) + 2;
    const words = 'event: words\ndata: {"type":"words","text":"some [words] é"}\n\n'.repeat(2000);
    const long = encode(text.slice(0, first) + words + text.slice(first));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1 }), (sizes) => {
        const meter = meterFor(format, true);
        for (let at = 0, n = 0; at < long.length; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          meter.push(long.subarray(at, at + size));
          at += size;
        }
        meter.end();
        expect(meter.reading()).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it.each(['\r\n', '\r'])('counts the same with %j as the end of lines', (end) => {
    const other = encode(text.replaceAll('\n', end));
    for (const size of [1, 2, 3, 7, 64]) {
      const chunks = Array.from({ length: Math.ceil(other.length / size) }, (_, i) =>
        other.subarray(i * size, (i + 1) * size),
      );
      expect(readingOf(format, chunks)).toEqual(whole);
    }
  });

  it('never takes a part of a stream for a whole with another count', () => {
    for (let at = 0; at < bytes.length; at += 1) {
      const { final } = readingOf(format, [bytes.subarray(0, at)]);
      expect([null, tokens]).toContainEqual(final);
    }
  });

  it('takes any bytes without failing', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (chunks) => {
        expect(readingOf(format, chunks).final).toBeNull();
        expect(readingOf(format, chunks, false).final).toBeNull();
      }),
    );
  });

  it('passes over events that are no JSON', () => {
    const bad = encode('data: {"type":"message_delta","usage" oh no\n\n');
    expect(readingOf(format, [bad, bytes])).toEqual(whole);
  });
});

describe('[GW9] an answer that comes whole', () => {
  it.each([
    ['anthropic', { content: [], usage: { input_tokens: 3, output_tokens: 4 } }, [3, 4]],
    ['openai-chat', { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }, [3, 4]],
    ['openai-responses', { output: [], usage: { input_tokens: 3, output_tokens: 4 } }, [3, 4]],
  ] as const)('is counted in %s', (format, body, [input, output]) => {
    const bytes = encode(JSON.stringify(body));
    const { final, ended } = readingOf(format, [bytes.subarray(0, 9), bytes.subarray(9)], false);
    expect([ended, final]).toEqual([
      true,
      { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    ]);
  });
});

const CHAT = ['prompt_tokens', 'completion_tokens'] as const;
const OTHERS = ['input_tokens', 'output_tokens'] as const;

describe('[GW9] usage', () => {
  it('counts reasoning that is left out of the completion but not of the total', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 };
    expect(countsOf('openai-chat', usage)).toMatchObject({ input: 10, output: 30 });
  });

  it('tells what went into a cache apart from what did not', () => {
    const prompt_tokens_details = { cached_tokens: 60, cache_write_tokens: 30 };
    const usage = { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details };
    expect(countsOf('openai-chat', usage)).toMatchObject({
      input: 10,
      cacheRead: 60,
      cacheWrite: 30,
    });
  });

  it.each([null, 'x', {}, [], -5, 1.5, '7', 1e300])(
    'is no count where it cannot be meant: %j',
    (odd) => {
      for (const format of WireFormat.options) {
        const [input, output] = format === 'openai-chat' ? CHAT : OTHERS;
        expect(countsOf(format, odd)).toBeNull();
        if (odd === null) continue;
        expect(countsOf(format, { [input]: odd, [output]: 4 })).toBeNull();
        expect(countsOf(format, { [input]: 3, [output]: odd })).toBeNull();
      }
    },
  );
});

describe('[GW10] a stream that broke off', () => {
  const part = (format: WireFormat, before: string): Reading =>
    readingOf(format, [encode(STREAMS[format].text.split(before)[0] ?? '')]);

  it('has the input that was told, and the output at its bound', () => {
    const reading = part('anthropic', 'event: message_delta');
    expect(countedBy(reading, 4096)).toEqual({
      tokens: { input: 12, output: 4096, cacheRead: 5000, cacheWrite: 300, reasoning: 0 },
      estimated: true,
    });
    expect(endedBy(reading, 'cut').outcome).toBe('cut');
  });

  it('holds at its worst case where nothing was told', () => {
    expect(countedBy(part('openai-chat', '"choices":[]'), 4096)).toEqual({ tokens: null });
    expect(countedBy(part('openai-responses', 'event: response.completed'), 9)).toEqual({
      tokens: null,
    });
  });

  it('is counted where the usage had come before', () => {
    const reading = part('openai-chat', 'data: [DONE]');
    expect(countedBy(reading, 4096)).toEqual({ tokens: STREAMS['openai-chat'].tokens });
    expect(endedBy(reading, 'cut').outcome).toBe('cut');
  });

  it.each([
    [
      'anthropic',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n',
    ],
    ['openai-chat', 'data: {"error":{"message":"Busy","code":502}}\n\n'],
    [
      'openai-responses',
      'data: {"type":"response.failed","response":{"error":{"message":"Busy"},"usage":null}}\n\n',
    ],
  ] as const)(
    'costs nothing in %s where the provider failed before the model began',
    (format, text) => {
      const reading = readingOf(format, [encode(text)]);
      expect(endedBy(reading, 'whole')).toEqual({ outcome: 'failed', error: 'Busy' });
      expect(countedBy(reading, 4096).tokens).toMatchObject({ input: 0, output: 0 });
    },
  );

  it('is no completed call where it ended without its end', () => {
    expect(endedBy(part('anthropic', 'event: message_delta'), 'whole').outcome).toBe('cut');
  });
});
