import { RowsShown } from './rows-shown.svelte.ts';

const NEAR_PX = 48;
/** How far beyond the view groups of blocks are on the page, and how near its beginning more is asked for. */
const MARGIN_PX = 1200;
/** A row whose height nobody has seen. */
const ROW_PX = 64;

type Anchor = { element: Element; at: number };

/**
 * Keeps the reader's place. At the end the view follows; anywhere else the row at its top stays where it is, whatever
 * is added, read, measured or taken away around it. Groups of rows that are far away are not on the page: their
 * height stands for them.
 */
export class ScrollKeeper {
  pinned = $state(true);
  readonly shown = new RowsShown();
  /** Called when the view is near the beginning of what there is. */
  onbeginning: () => void = () => undefined;
  #scroller: HTMLElement | null = null;
  #host: HTMLElement | null = null;
  #top = 0;
  #anchor: Anchor | null = null;
  #place: { seq: number; offset: number } | null = null;
  readonly #keys = new WeakMap<Element, number>();
  readonly #heights = new Map<number, number>();
  #measured = { px: 0, rows: 0 };
  readonly #resize = new ResizeObserver((entries) => {
    for (const { target } of entries) this.#measure(target);
    this.#settle();
  });
  #approach: IntersectionObserver | null = null;

  readonly attach = (scroller: HTMLElement): (() => void) => {
    this.#scroller = scroller;
    this.#approach = new IntersectionObserver((entries) => this.#moved(entries), {
      root: scroller,
      rootMargin: `${MARGIN_PX}px 0px`,
    });
    this.#resize.observe(scroller);
    for (const child of scroller.children) this.#resize.observe(child);
    const scrolled = (): void => this.#scrolled();
    scroller.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      scroller.removeEventListener('scroll', scrolled);
      this.#resize.disconnect();
      this.#approach?.disconnect();
      this.shown.close();
      this.#scroller = null;
    };
  };

  /** The element whose children are the groups, in order. */
  readonly host = (element: HTMLElement): void => {
    this.#host = element;
  };

  group(key: number): (element: HTMLElement) => () => void {
    return (element) => {
      this.#keys.set(element, key);
      this.#resize.observe(element);
      this.#approach?.observe(element);
      return () => {
        this.#resize.unobserve(element);
        this.#approach?.unobserve(element);
        this.shown.delete(key);
      };
    };
  }

  /** As it was when it was seen, or as much as such rows need. */
  heightOf(key: number, rows: number): number {
    const { px, rows: seen } = this.#measured;
    return this.#heights.get(key) ?? Math.round(rows * (seen > 0 ? px / seen : ROW_PX));
  }

  toEnd(): void {
    this.pinned = true;
    this.#settle();
  }

  /** From here on this element stays where it is. */
  hold(element: Element): void {
    this.#keep(element);
    this.pinned = false;
  }

  /** Puts an element so far below the top of the view. */
  put(element: Element, offset: number): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    this.pinned = false;
    scroller.scrollTop = this.#placeOf(element) - offset;
    this.#top = scroller.scrollTop;
    this.hold(element);
  }

  /** The row that is kept and how far below the top of the view it was last; null at the end. */
  get place(): { seq: number; offset: number } | null {
    return this.pinned ? null : this.#place;
  }

  /** Asks for more where there is little above the view, or will be when it is at the end. */
  look(): void {
    const scroller = this.#scroller;
    if (!scroller || scroller.clientHeight === 0) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    if ((this.pinned ? scrollHeight - clientHeight : scrollTop) < MARGIN_PX) this.onbeginning();
  }

  #measure(target: Element): void {
    const key = this.#keys.get(target);
    if (key === undefined || target.childElementCount === 0) return;
    // One that is not there whole has the height that is kept for it.
    if ((target as HTMLElement).style.height !== '') return;
    const height = target.getBoundingClientRect().height;
    if (!this.#heights.has(key)) {
      this.#measured.px += height;
      this.#measured.rows += target.childElementCount;
    }
    this.#heights.set(key, height);
  }

  #settle(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    if (this.pinned) {
      scroller.scrollTop = scroller.scrollHeight;
      this.#top = scroller.scrollTop;
    } else {
      this.#restore(scroller);
      this.#capture(scroller);
    }
    this.look();
  }

  #restore(scroller: HTMLElement): void {
    const anchor = this.#anchor;
    if (!anchor?.element.isConnected) return;
    const moved = this.#placeOf(anchor.element) - anchor.at;
    if (Math.abs(moved) < 0.5) return;
    scroller.scrollTop += moved;
    this.#top = scroller.scrollTop;
  }

  #scrolled(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) this.pinned = true;
    else if (scrollTop < this.#top) this.pinned = false;
    this.#top = scrollTop;
    if (!this.pinned) {
      this.#restore(scroller);
      this.#capture(scroller);
    }
    this.look();
  }

  /** Finds the first row that begins in the view: a row above it, or a group that is not on the page, may yet grow. */
  #capture(scroller: HTMLElement): void {
    const groups = this.#host?.children;
    if (!groups) return;
    const { top, bottom } = scroller.getBoundingClientRect();
    let fallback: Element | null = null;
    for (let at = firstBelow(groups, top); at < groups.length; at += 1) {
      const group = groups[at];
      if (!group || group.getBoundingClientRect().top > bottom) break;
      for (const row of group.children) {
        const box = row.getBoundingClientRect();
        if (box.bottom > top) fallback ??= row;
        if (box.top >= top) return this.#keep(row);
      }
      fallback ??= group;
    }
    if (fallback) this.#keep(fallback);
  }

  #keep(element: Element): void {
    const at = this.#placeOf(element);
    this.#anchor = { element, at };
    const seq = Number(element.getAttribute('data-row'));
    if (seq > 0) this.#place = { seq, offset: at - (this.#scroller?.scrollTop ?? 0) };
  }

  /** Where it is in the content, which scrolling does not change. */
  #placeOf(element: Element): number {
    const scroller = this.#scroller;
    if (!scroller) return 0;
    const top = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    return top + scroller.scrollTop;
  }

  /** What is in view is put on the page at once, what is near it little by little. */
  #moved(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, boundingClientRect: box, rootBounds } of entries) {
      const key = this.#keys.get(target);
      if (key === undefined) continue;
      const inView =
        rootBounds !== null &&
        box.bottom > rootBounds.top + MARGIN_PX &&
        box.top < rootBounds.bottom - MARGIN_PX;
      if (isIntersecting && inView) this.shown.show(key);
      else this.shown.want(key, isIntersecting);
    }
  }
}

/** The first of many elements, one below the other, that ends below a line: found by halves. */
function firstBelow(elements: HTMLCollection, line: number): number {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((elements[middle]?.getBoundingClientRect().bottom ?? 0) > line) high = middle;
    else low = middle + 1;
  }
  return low;
}
