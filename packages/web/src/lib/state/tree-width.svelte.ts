import { untrack } from 'svelte';
import { recall, remember } from './remembered.ts';

const LEAST = 150;
const MOST = 360;
const FIRST = 264;
const STEP = 16;

/**
 * How wide the tree is, in pixels, remembered. Panes are laid out in percent of the page, so that each change of the
 * page's width gives new percentages for the same pixels.
 */
export class TreeWidth {
  #pixels = $state(widthOf(recall('tree-width')));
  #page = $state(1);

  /** Somebody draws it. */
  drawing = $state(false);
  readonly least = $derived(this.#percent(LEAST));
  readonly most = $derived(this.#percent(MOST));
  readonly step = $derived(this.#percent(STEP));
  readonly size = $derived(this.#percent(this.#pixels));

  constructor(page: number) {
    this.#page = page;
  }

  get pixels(): number {
    return this.#pixels;
  }

  /** The page has this width now. */
  fit(page: number): void {
    if (page > 0) this.#page = page;
  }

  /** The tree was drawn to this part of the page. */
  drawn(percent: number): void {
    const [page, before] = untrack(() => [this.#page, this.#pixels] as const);
    const pixels = within((percent * page) / 100);
    if (pixels === before) return;
    this.#pixels = pixels;
    remember('tree-width', String(pixels));
  }

  #percent(pixels: number): number {
    return Math.min(100, (pixels / this.#page) * 100);
  }
}

function widthOf(stored: string | null): number {
  const pixels = Number(stored ?? FIRST);
  return Number.isFinite(pixels) ? within(pixels) : FIRST;
}

const within = (pixels: number): number => Math.round(Math.min(MOST, Math.max(LEAST, pixels)));
