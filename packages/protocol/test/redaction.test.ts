import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REDACTED, redactorOf } from '../src/index.ts';

const KEY = 'sk-ant-"canary"/+key~42\\é😀';
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const unit = (char: string): string =>
  char
    .split('')
    .map((one) => `\\u${hex(one.charCodeAt(0), 4)}`)
    .join('');

describe('redaction', () => {
  it('[SEC20] finds a secret of which any characters are escaped, as JSON, a URL or C have it', () => {
    const escapes: ((char: string) => string)[] = [
      (char) => JSON.stringify(char).slice(1, -1),
      unit,
      (char) => unit(char).toUpperCase().replaceAll('\\U', '\\u'),
      (char) => `\\${unit(char)}`,
      (char) => (char < '\u0080' ? `%${hex(char.charCodeAt(0), 2)}` : encodeURIComponent(char)),
      (char) => (char < '\u0080' ? `\\x${hex(char.charCodeAt(0), 2)}` : char),
    ];
    const letters = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 60 });
    const plain = letters.filter((text) => !/[\\%]/.test(text));
    fc.assert(
      fc.property(
        plain,
        fc.array(fc.nat(escapes.length - 1), { minLength: 1 }),
        fc.string(),
        (secret, ways, around) => {
          const written = [...secret]
            .map((char, index) => escapes[ways[index % ways.length] ?? 0]?.(char))
            .join('');
          const shown = redactorOf([secret])(`${around}${written}`);
          expect(shown.endsWith(REDACTED)).toBe(true);
        },
      ),
    );
  });

  it('[SEC20] leaves no secret in what JSON makes of a line, and the line is JSON still', () => {
    const redact = redactorOf([KEY]);
    const all = [...KEY].map(unit).join('');
    const first = unit('s') + JSON.stringify(KEY.slice(1)).slice(1, -1);
    const slashed = JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/');
    for (const written of [all, all.toUpperCase().replaceAll('\\U', '\\u'), first, slashed]) {
      const line = `{"type":"text","content":"it is ${written}.","id":"100%25"}`;
      expect(JSON.parse(line).content).toBe(`it is ${KEY}.`);
      expect(JSON.parse(redact(line))).toEqual({
        type: 'text',
        content: `it is ${REDACTED}.`,
        id: '100%25',
      });
    }
  });

  it('[SEC20] finds it in hexadecimal, and in base64 at each alignment, also inside a URL', () => {
    const redact = redactorOf([KEY]);
    const bytes = Buffer.from(KEY);
    const pairs = [...bytes].map((byte) => hex(byte, 2));
    for (const between of ['', ' ', ':']) {
      const text = `<${pairs.join(between)}>`;
      expect([redact(text), redact(text.toUpperCase())]).toEqual(Array(2).fill(`<${REDACTED}>`));
    }
    for (const before of ['', 'a', 'ab', 'abc']) {
      const encoded = Buffer.from(`${before}${KEY}tail`).toString('base64');
      const core = encoded.slice(8, 24);
      for (const text of [encoded, encodeURIComponent(encoded), encoded.replaceAll('/', '\\/')]) {
        expect(redact(text)).toContain(REDACTED);
        expect(redact(text)).not.toContain(core);
      }
    }
  });

  it('[SEC20] knows the lines of a secret of several, which are printed one by one', () => {
    const line = 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g';
    const key = `-----BEGIN PRIVATE KEY-----\n${line}\nshort\n-----END PRIVATE KEY-----\n`;
    const redact = redactorOf([key]);
    expect(key.split('\n').map(redact)).toEqual([REDACTED, REDACTED, 'short', REDACTED, '']);
    expect(redact(JSON.stringify({ key }))).toBe(`{"key":"${REDACTED}"}`);
  });

  it('leaves other text as it is, however it is written', () => {
    const redact = redactorOf([KEY, 'another-secret', 'short']);
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '%41', '\\\\\\u0041\\n'),
        (a, b) => {
          expect(redact(a + b + a)).toBe(a + b + a);
        },
      ),
    );
    expect(redactorOf(['short'])('short')).toBe('short');
  });

  it('takes time in proportion to the text, whatever an agent prints', () => {
    const redact = redactorOf([KEY, '\\'.repeat(40), '%25'.repeat(20)]);
    const lines = ['\\', '%', '%2', '%25', '\\u', '\\u00', '\\u005c', '\\x', 's', 'sk-ant-', '73 '];
    // Time of this process's own: what else the machine does is not in it.
    const timed = (size: number): number => {
      const began = process.cpuUsage();
      for (const part of lines) redact(`${part.repeat(size / part.length)}\\u0041`);
      return process.cpuUsage(began).user / 1000;
    };
    timed(2 ** 16);
    const short = Math.max(5, timed(2 ** 17));
    // Eight times the text; a square would be sixty-four.
    expect(timed(2 ** 20) / short).toBeLessThan(40);
  });
});
