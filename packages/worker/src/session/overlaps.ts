import type { TouchedFile } from '@filepath/protocol';

export type Work = { head: string; dirty: boolean; files: readonly TouchedFile[] };

type Range = readonly [number, number];

/**
 * Files of which two agents changed the same lines, or lines that touch. Lines are those that both began with: where they
 * began with different ones they cannot be compared. What both made the same is none.
 */
export function overlapsOf(one: Work, other: Work): string[] {
  const byPath = new Map(other.files.map((file) => [file.path, file]));
  return one.files.flatMap((file) => {
    const twin = byPath.get(file.path);
    if (twin === undefined || twin.from !== file.from || twin.to === file.to) return [];
    return meet(file, twin) ? [file.path] : [];
  });
}

function meet(one: TouchedFile, other: TouchedFile): boolean {
  // Both made the file; or one removed it, whatever the other did.
  if (one.from === null || one.to === null || other.to === null) return true;
  // A file that is not text has no lines: every change is a change of all of it.
  if (one.ranges.length === 0 || other.ranges.length === 0) return true;
  return one.ranges.some((range) => other.ranges.some((twin) => touch(range, twin)));
}

/** An insertion has no lines of its own: it stands after its first. */
function touch(one: Range, other: Range): boolean {
  const [from, to] = span(one);
  const [start, end] = span(other);
  return from <= end && start <= to;
}

const span = ([first, count]: Range): Range =>
  count === 0 ? [first, first + 1] : [first, first + count];
