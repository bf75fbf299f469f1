import { describe, expect, it } from 'vitest';
import { readCode } from '../src/lib/state/highlight/reader.ts';
import { languageOf } from '../src/lib/text/languages.ts';

const flat = (lines: { text: string; ink: string }[][]): string =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');

describe('the colours of code', () => {
  it('[UIB16] are those of its language, and lose no character', async () => {
    const code = '{\n  "a": [1, "x"]\n}';
    const lines = await readCode('one', 'json', code);
    expect(flat(lines)).toBe(code);
    expect(lines[1]).toContainEqual({ text: '1', ink: 'constant' });
    expect(lines[1]?.some(({ text, ink }) => text.includes('x') && ink.startsWith('string'))).toBe(
      true,
    );
  });

  it('[UIB16] of code that grows are those of the whole', async () => {
    const code = '/* a\n b */\nlet x = "y";\n';
    for (let end = 1; end < code.length; end += 3) {
      await readCode('grows', 'javascript', code.slice(0, end));
    }
    expect(await readCode('grows', 'javascript', code)).toEqual(
      await readCode('whole', 'javascript', code),
    );
  }, 60_000);

  it('[UIB16] are there for the names that people use', () => {
    expect(['ts', 'sh', 'py', 'c++', 'yml'].map(languageOf)).toEqual([
      'typescript',
      'bash',
      'python',
      'c',
      'yaml',
    ]);
    expect(['', 'nothing', '__proto__'].map(languageOf)).toEqual([null, null, null]);
  });
});
