import { describe, expect, it } from 'vitest';
import { localTimes } from '../src/lib/text/local-times.ts';

const two = (n: number): string => String(n).padStart(2, '0');
const clock = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}`;

describe('a time in a line', () => {
  const now = new Date(2026, 10, 18, 9, 30);

  it('is that of the reader’s clock', () => {
    const at = new Date(2026, 10, 18, 14, 5, 7);
    expect(localTimes(`lab limit until ${at.toISOString()}`, now)).toBe(
      `lab limit until ${clock(at)}`,
    );
  });

  it('has its day where that is another', () => {
    const at = new Date(2026, 10, 20, 8, 0);
    expect(localTimes(`until ${at.toISOString()}.`, now)).toBe('until Fri, Nov 20, 08:00.');
  });

  it('that is none stays as it is, and so does everything else', () => {
    const text = 'at 2026-13-45T99:99:99Z, or 2026-11-18, or never';
    expect(localTimes(text, now)).toBe(text);
  });
});
