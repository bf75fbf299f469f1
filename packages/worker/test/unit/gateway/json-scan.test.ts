import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsed, scanObject } from '../../../src/gateway/body/json-scan.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The object as the scanner sees it: keys in their order, with the values at their places. */
function seen(text: string): [string, unknown][] | null {
  const bytes = encode(text);
  const scanned = scanObject(bytes);
  if (!scanned) return null;
  return scanned.members.map(({ key, valueStart, valueEnd }) => [
    key,
    parsed(bytes, valueStart, valueEnd),
  ]);
}

/** JSON text with white space where it may be. */
const spaced = (value: unknown, space: string): string =>
  JSON.stringify(value, null, 1).replaceAll('\n', space);

describe('[GW5] the scanner of bodies', () => {
  it('finds the members of any object where JSON.parse finds them', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { noNullPrototype: true }),
        fc.constantFrom('', ' ', '\n', '\t \r\n'),
        (value, space) => {
          const text = spaced(value, space);
          expect(seen(`${space}${text}${space}`)).toEqual(Object.entries(JSON.parse(text)));
        },
      ),
      { verbose: true },
    );
  });

  it('sees members in an object of a larger text', () => {
    const bytes = encode('{"a":{"include_usage": false},"b":1}');
    const inner = scanObject(bytes, 5, 29);
    expect(inner?.members.map(({ key }) => key)).toEqual(['include_usage']);
  });

  it('reads keys that are written with escapes', () => {
    expect(seen('{"mod\\u0065l":"x","a\\"}":"\\\\"}')).toEqual([
      ['model', 'x'],
      ['a"}', '\\'],
    ]);
  });

  it('keeps both of two equal keys', () => {
    expect(seen('{"n":1,"n":2}')).toEqual([
      ['n', 1],
      ['n', 2],
    ]);
  });

  it.each([
    '',
    '[]',
    'null',
    '"x"',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a":1 "b":2}',
    '{"a":1}{',
    '{"a":1} x',
    '{a:1}',
    "{'a':1}",
    '{"a":"}',
    '{"a":[1}',
    '{"a":tru}',
    '{"a":01}',
    '{"a":NaN}',
    '{,"a":1}',
    '\u{feff}{}',
  ])('takes %j for no object', (text) => {
    expect(scanObject(encode(text))).toBeNull();
  });

  it('takes nothing for an object that JSON.parse does not, at the top', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,0 ae\\n') }), (text) => {
        if (!scanObject(encode(text))) return;
        const flat = text.replace(/(?<=:\s*)(\[.*\]|\{.*\})(?=\s*[,}])/gs, '0');
        expect(() => JSON.parse(flat)).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });

  it('reads 10 MB in well under a second', () => {
    const text = JSON.stringify({ model: 'x', messages: ['word "quoted" \\ '.repeat(600_000)] });
    const bytes = encode(text);
    expect(bytes.length).toBeGreaterThan(10e6);
    // Time of this process's own: what else the machine does is not in it.
    const started = process.cpuUsage();
    expect(scanObject(bytes)?.members).toHaveLength(2);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
  });
});
