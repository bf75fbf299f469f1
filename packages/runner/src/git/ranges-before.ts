import type { Hunk } from '@filepath/protocol';

/** First line and number of lines. One without lines stands after its first. */
export type Range = [number, number];

/** By the places between lines: 0 is before the first line. */
type Span = { start: number; end: number };

const spanOf = ([first, count]: Range): Span =>
  count === 0 ? { start: first, end: first } : { start: first - 1, end: first - 1 + count };

const rangeOf = ({ start, end }: Span): Range =>
  end === start ? [start, 0] : [start + 1, end - start];

/** Ranges of a text as ranges of the text before these hunks. One that meets a hunk has all that the hunk replaced. */
export function rangesBefore(
  ranges: readonly Range[],
  hunks: readonly Pick<Hunk, 'from' | 'to'>[],
): Range[] {
  const steps = hunks.map(({ from, to }) => ({ before: spanOf(from), after: spanOf(to) }));
  return ranges.map((range) => {
    const { start, end } = spanOf(range);
    const past = steps.filter(({ after }) => after.end <= start).at(-1);
    const into = steps.find((step) => step.after.start < start && start < step.after.end);
    const first = into?.before.start ?? start + (past ? past.before.end - past.after.end : 0);
    const reached = steps.filter(({ after }) => after.start < end).at(-1);
    const last =
      reached === undefined
        ? end
        : end < reached.after.end
          ? reached.before.end
          : end + reached.before.end - reached.after.end;
    return rangeOf({ start: Math.min(first, last), end: Math.max(first, last) });
  });
}
