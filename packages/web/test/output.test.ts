import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputPart, plain, terminalLines } from '../src/lib/text/output.ts';
import { shortened, visible } from '../src/lib/text/visible.ts';

const ESC = '\u001B';
const looks = (output: string): [string, string][] =>
  outputPart(terminalLines(output), 0).lines.flatMap(({ spans }) =>
    spans.map(({ text, look }): [string, string] => [text, look]),
  );

describe('what a program wrote for a terminal', () => {
  it('[UIB11] loses titles, moves of the cursor, links and carriage returns', () => {
    const output = `${ESC}]0;title\u0007a${ESC}[2K${ESC}[1;1Hb${ESC}]8;;https://e.test${ESC}\\c${ESC}]8;;${ESC}\\\r\n${ESC}(B\n`;
    expect(plain(output)).toBe('abc');
  });

  it('[UIB11] keeps colours and weights, of every way to say them', () => {
    expect(looks(`${ESC}[31mred${ESC}[0m ${ESC}[1;92mok${ESC}[22m${ESC}[39m.`)).toEqual([
      ['red', 'ink-red'],
      [' ', ''],
      ['ok', 'ink-green bold'],
      ['.', ''],
    ]);
    expect(looks(`${ESC}[38;5;196mA${ESC}[38;2;0;0;255mB${ESC}[48;5;22mC${ESC}[mD`)).toEqual([
      ['A', 'ink-red'],
      ['B', 'ink-blue'],
      ['C', 'ink-blue ground-green'],
      ['D', ''],
    ]);
    expect(looks(`${ESC}[7mI${ESC}[31mR`)).toEqual([
      ['I', 'inverse'],
      ['R', 'ground-red'],
    ]);
  });

  it('[UIB11] carries a colour from one line to the next, also where the first is not shown', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n');
    expect(looks(`${ESC}[35m${lines}`).at(-1)).toEqual(['line 39', 'ink-magenta']);
  });

  it('[UIB11] shows what was written last of a line that was written again', () => {
    expect(plain('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone');
  });

  it('[UIB11] has no class but those the page knows, for any text', () => {
    const known =
      /^(?:(?:ink|ground)-(?:black|red|green|yellow|blue|magenta|cyan|white)|bold|dim|italic|underline|inverse|strike)$/;
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc
        .array(fc.integer({ min: 0, max: 300 }), { maxLength: 6 })
        .map((n) => `${ESC}[${n.join(';')}m`),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        for (const [text, look] of looks(pieces.join(''))) {
          expect(text).not.toContain(ESC);
          for (const name of look.split(' ').filter(Boolean)) expect(name).toMatch(known);
        }
      }),
    );
  });
});

describe('a long output', () => {
  const long = terminalLines(Array.from({ length: 5000 }, (_, n) => `line ${n}`).join('\n'));

  it('[UIB12] shows its end, and more of it in steps', () => {
    const first = outputPart(long, 0);
    expect(first).toMatchObject({ total: 5000, more: 2000 });
    expect(first.lines).toHaveLength(12);
    expect(first.lines.at(-1)?.spans).toEqual([{ text: 'line 4999', look: '' }]);
    expect(outputPart(long, 1)).toMatchObject({ more: 2000 });
    expect(outputPart(long, 2)).toMatchObject({ more: 1000 });
    expect(outputPart(long, 3)).toMatchObject({ more: 0 });
    expect(outputPart(long, 3).lines).toHaveLength(5000);
  });

  it('[UIB12] is whole when it is short', () => {
    expect(outputPart(['a', 'b'], 0)).toMatchObject({ total: 2, more: 0 });
  });

  it('[UIB12] cuts one endless line and says by how much', () => {
    const [line] = outputPart(terminalLines('x'.repeat(1_000_000)), 0).lines;
    expect(line?.spans[0]?.text.length).toBeLessThan(10_000);
    expect(line?.cut).toBe(996_000);
  });
});

describe('what nobody sees', () => {
  it('[UIB7] has a mark: controls, overrides of direction, zero-width characters, tags', () => {
    expect(visible('a\u0000b\u0008\u007F')).toBe('a␀b␈␡');
    expect(visible('x\u202Etxt.exe')).toBe('x⟨U+202E⟩txt.exe');
    expect(visible('a\u200Bb\u{E0041}')).toBe('a⟨U+200B⟩b⟨U+E0041⟩');
    expect(visible('\u2066'.repeat(1000))).toBe('⟨U+2066⟩×1000');
  });

  it('[UIB7] leaves text as it is: lines, tabs, emoji, scripts from right to left', () => {
    const text = 'a\n\tb 👩‍👩‍👧 שלום עולם مرحبا';
    expect(visible(text)).toBe(text);
  });

  it('[UIB7] is in no text after that, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc}/u);
      }),
    );
  });

  it('[UIB7] is cut between characters, never within one', () => {
    expect(shortened('ab😀cd', 3)).toBe('ab…');
    expect(shortened('abc', 3)).toBe('abc');
  });
});
