import type { TouchedFile } from '@filepath/protocol';

export type Work = { head: string; dirty: boolean; files: readonly TouchedFile[] };

type Range = readonly [number, number];

/**
 * Files of which two agents changed the same lines, or lines that touch. Lines are those that both began with; where they
 * began with different ones, those of the remote's branch. Where neither is the same the file counts as a whole.
 */
export function overlapsOf(one: Work, other: Work): string[] {
  const byPath = new Map(other.files.map((file) => [file.path, file]));
  return one.files.flatMap((file) => {
    const twin = byPath.get(file.path);
    return twin !== undefined && meet(file, twin) ? [file.path] : [];
  });
}

function meet(one: TouchedFile, other: TouchedFile): boolean {
  // What both made the same is none; a file that both moved elsewhere is in two places.
  if (one.to === other.to) return one.to === null && one.renamed !== other.renamed;
  const same = one.from === other.from;
  // One of them began with what the other made.
  if (!same && (one.from === other.to || other.from === one.to)) return false;
  if (one.to === null || other.to === null) return true;
  // Only the mode is another.
  if (one.from === one.to || other.from === other.to) return false;
  const [first, second] = same ? [bare(one), bare(other)] : [atOrigin(one), atOrigin(other)];
  // Both made the file, or there are no lines that both know.
  if (first.from === null || first.from !== second.from) return true;
  // A file that is not text has no lines: every change is a change of all of it.
  if (first.ranges.length === 0 || second.ranges.length === 0) return true;
  const theirs = without(second.ranges, first.had);
  return without(first.ranges, second.had).some((range) =>
    theirs.some((twin) => touch(range, twin)),
  );
}

type Lines = NonNullable<TouchedFile['origin']>;

const bare = ({ from, ranges }: TouchedFile): Lines => ({ from, ranges, had: [] });
const atOrigin = (file: TouchedFile): Lines => file.origin ?? bare(file);

/** Changes that the other began with are the ground of its work, as those of a parent are. */
const without = (ranges: readonly Range[], had: readonly Range[]): Range[] =>
  ranges.filter(([first, count]) => !had.some((range) => range[0] === first && range[1] === count));

/** An insertion has no lines of its own: it stands after its first. */
function touch(one: Range, other: Range): boolean {
  const [from, to] = span(one);
  const [start, end] = span(other);
  return from <= end && start <= to;
}

const span = ([first, count]: Range): Range =>
  count === 0 ? [first, first + 1] : [first, first + count];
