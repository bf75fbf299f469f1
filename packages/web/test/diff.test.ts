import { describe, expect, it } from 'vitest';
import { diffCounts, diffLines } from '../src/lib/text/diff.ts';

const kinds = (diff: string): string[] => diffLines(diff).map(({ kind }) => kind);

describe('a diff', () => {
  it('[UIB13] tells added, removed and head lines apart and counts them', () => {
    const lines = diffLines('--- a\n+++ b\n@@ -1,2 +1,3 @@ f()\n same\n-old\n+new\n+more\n');
    expect(lines.map(({ kind }) => kind)).toEqual(['head', 'same', 'del', 'add', 'add']);
    expect(diffCounts(lines)).toEqual({ added: 2, removed: 1 });
  });

  it('[UIB13] names its files where there are several', () => {
    const file = (name: string): string => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-x\n+y\n`;
    expect(kinds(file('one') + file('two')).filter((kind) => kind === 'file')).toHaveLength(4);
  });

  it('[UIB13] knows a removed line that looks like the name of a file', () => {
    const lines = diffLines('--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- drop table\n+++ x\n same');
    expect(lines.map(({ kind }) => kind)).toEqual(['head', 'del', 'add', 'same']);
  });

  it('[UIB13] takes lines without a hunk for what their signs say', () => {
    expect(kinds('+notes\n-old')).toEqual(['add', 'del']);
  });

  it('[UIB13] marks the words that changed in a line, and none in another line', () => {
    const [, before, after] = diffLines(
      '@@ -1 +1 @@\n-  return claims(payload);\n+  return parse(payload);',
    );
    expect(before?.parts).toEqual([
      { text: '-  return ', changed: false },
      { text: 'claims', changed: true },
      { text: '(payload);', changed: false },
    ]);
    expect(after?.parts?.[1]).toEqual({ text: 'parse', changed: true });
    const [, other] = diffLines('@@ -1 +1 @@\n-alpha beta gamma\n+let x = 1;');
    expect(other?.parts).toBeUndefined();
  });

  it('[UIB13] bounds a line and shows what is unseen in it', () => {
    const [line] = diffLines(`+${'x'.repeat(1_000_000)}`);
    expect(line?.text.length).toBeLessThan(3000);
    expect(diffLines('+a\u202Eb')[0]?.text).toBe('+a⟨U+202E⟩b');
  });
});
