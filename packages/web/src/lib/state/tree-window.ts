export const ROW_HEIGHT = 28;
/** Rows beyond the edges that are there before they are scrolled to. */
const BEYOND = 12;

/** Which of the rows are in the page: those in sight, and a few that must stay whatever is in sight. */
export function windowOf(
  count: number,
  scrolled: number,
  height: number,
  always: readonly number[],
): number[] {
  const first = Math.max(0, Math.floor(scrolled / ROW_HEIGHT) - BEYOND);
  const last = Math.min(count - 1, Math.ceil((scrolled + height) / ROW_HEIGHT) + BEYOND);
  const indexes = new Set(always.filter((index) => index >= 0 && index < count));
  for (let index = first; index <= last; index += 1) indexes.add(index);
  return [...indexes].sort((a, b) => a - b);
}

/** How far to scroll so that a row is in sight, as little as possible. */
export function scrollFor(index: number, scrolled: number, height: number): number {
  const top = index * ROW_HEIGHT;
  if (top < scrolled) return top;
  return Math.max(scrolled, top + ROW_HEIGHT - height);
}
