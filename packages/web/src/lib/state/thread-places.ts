/** Where a reader left a thread. */
export type ThreadPlace = {
  /** The block at the top of the view and how far below the top it was; null: at the end. */
  at: { seq: number; offset: number } | null;
  /** The runs that are folded, by their id. */
  folded: Set<string>;
};

const places = new Map<string, ThreadPlace>();

/** One for each thread, for as long as the page lives. */
export function placeOf(thread: string): ThreadPlace {
  const known = places.get(thread);
  if (known) return known;
  const place: ThreadPlace = { at: null, folded: new Set() };
  places.set(thread, place);
  return place;
}
