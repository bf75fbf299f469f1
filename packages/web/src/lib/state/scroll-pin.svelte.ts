const NEAR_PX = 48;

/**
 * Keeps a scrolling element at its end while the reader is there. Only the reader moves up, so a scroll position that
 * falls is what lets go; growing content never does.
 */
export class ScrollPin {
  pinned = $state(true);
  #element: HTMLElement | null = null;
  #top = 0;

  readonly attach = (element: HTMLElement): (() => void) => {
    this.#element = element;
    const watch = new ResizeObserver(() => this.#follow());
    watch.observe(element);
    for (const child of element.children) watch.observe(child);
    const scrolled = (): void => this.#scrolled();
    element.addEventListener('scroll', scrolled, { passive: true });
    this.#follow();
    return () => {
      watch.disconnect();
      element.removeEventListener('scroll', scrolled);
      this.#element = null;
    };
  };

  toEnd(): void {
    this.pinned = true;
    this.#follow();
  }

  #follow(): void {
    const element = this.#element;
    if (!element || !this.pinned) return;
    element.scrollTop = element.scrollHeight;
    this.#top = element.scrollTop;
  }

  #scrolled(): void {
    const element = this.#element;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) this.pinned = true;
    else if (scrollTop < this.#top) this.pinned = false;
    this.#top = scrollTop;
  }
}
