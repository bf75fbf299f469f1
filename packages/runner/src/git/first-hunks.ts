import type { Hunk } from '@filepath/protocol';

/** As much of the hunks as fits in so many bytes of JSON: the last one may end early, and counts the lines that it has. */
export function firstHunks(hunks: readonly Hunk[], room: number): Hunk[] {
  const first: Hunk[] = [];
  let left = room;
  for (const hunk of hunks) {
    const bytes = sizeOf(hunk) + 1;
    if (bytes > left) return [...first, ...beginningOf(hunk, left)];
    left -= bytes;
    first.push(hunk);
  }
  return first;
}

/** None where not one line of it fits. */
function beginningOf(hunk: Hunk, room: number): Hunk[] {
  const lines: string[] = [];
  let left = room - sizeOf({ ...hunk, text: '' });
  for (const line of hunk.text.split(/(?<=\n)/)) {
    left -= sizeOf(line) - 2;
    if (left < 0) break;
    lines.push(line);
  }
  if (lines.length === 0) return [];
  const count = (...marks: string[]): number =>
    lines.filter(([mark = '']) => marks.includes(mark)).length;
  return [
    {
      from: [hunk.from[0], count(' ', '-')],
      to: [hunk.to[0], count(' ', '+')],
      text: lines.join(''),
    },
  ];
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
