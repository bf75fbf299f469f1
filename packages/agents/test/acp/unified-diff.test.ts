import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unifiedDiff } from '../../src/acp/unified-diff.ts';

/** What the hunk makes of a text. */
function applied(text: string, diff: string): string {
  const [, , head = '', ...body] = diff.split('\n').slice(0, -1);
  const from = Number(/^@@ -(\d+)/.exec(head)?.[1] ?? 0);
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const at = Math.max(0, from - 1);
  const kept = body.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  const taken = body.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  expect(lines.slice(at, at + taken.length)).toEqual(taken);
  return [...lines.slice(0, at), ...kept, ...lines.slice(at + taken.length)].join('\n');
}

it('[DRV56] a diff, applied to the old text, gives the new one', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const [old, now] = [before, after].map((each) => each.map((line) => `${line}\n`).join(''));
      if (old === undefined || now === undefined || old === now) return;
      expect(applied(old, unifiedDiff('f', old, now))).toBe(now.replace(/\n$/, ''));
    }),
  );
});
