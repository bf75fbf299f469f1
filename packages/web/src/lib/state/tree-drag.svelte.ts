import type { Node } from '@filepath/protocol';
import { type Drop, dropAt, standsAt } from './tree-moves.ts';
import type { TreeView } from './tree-view.svelte.ts';
import { ROW_HEIGHT } from './tree-window.ts';

/** A pointer that moves less than this clicks. */
const SLOP = 5;
/** A finger that stays this near for so long takes the row; before the browser takes it for a question for a menu. */
const TOUCH_SLOP = 9;
const HOLD_MS = 400;
const BUZZ_MS = 12;
/** So near to an edge the list scrolls, and this far for each frame. */
const EDGE = 24;
const SCROLL_BY = 9;

/** Takes a row to another place by a mouse or a pen, or by a finger that is held on it: one that moves at once scrolls. */
export class TreeDrag {
  node = $state.raw<Node | null>(null);
  drop = $state.raw<Drop | null>(null);
  readonly #tree: TreeView;
  readonly #list: () => HTMLElement | null;
  /** A finger is on a row. */
  touching = false;
  /** A finger took a row, and left it where it was. */
  onheld: (id: string) => void = () => undefined;
  #end: (() => void) | null = null;
  #frame: number | null = null;

  constructor(tree: TreeView, list: () => HTMLElement | null) {
    this.#tree = tree;
    this.#list = list;
  }

  /** A finger that has a row does not scroll. The browser asks this of a list from the beginning of a touch. */
  readonly touches = (list: HTMLElement): (() => void) => {
    const moved = (event: TouchEvent): void => {
      if (this.node !== null && event.cancelable) event.preventDefault();
    };
    list.addEventListener('touchmove', moved, { passive: false });
    return () => list.removeEventListener('touchmove', moved);
  };

  /** Begins once the pointer has moved, or a finger was held. A filtered tree has gaps, and cannot be put in order. */
  press(event: PointerEvent, id: string): void {
    if (event.button !== 0 || this.#tree.filtering) return;
    this.cancel();
    const touch = event.pointerType === 'touch';
    const from = { x: event.clientX, y: event.clientY };
    const far = ({ clientX: x, clientY: y }: PointerEvent): boolean =>
      Math.hypot(x - from.x, y - from.y) >= (touch ? TOUCH_SLOP : SLOP);
    const take = (): void => {
      this.node = this.#tree.nodes.get(id) ?? null;
      if (touch) navigator.vibrate?.(BUZZ_MS);
    };
    const timer = touch ? setTimeout(take, HOLD_MS) : undefined;
    this.touching = touch;
    const move = (moved: PointerEvent): void => {
      if (this.node === null && !far(moved)) return;
      if (this.node === null && touch) return this.cancel();
      if (this.node === null) take();
      if (touch && this.drop === null && !far(moved)) return;
      // What else hears of it takes it for no swipe.
      moved.preventDefault();
      this.#over(moved.clientY);
    };
    const up = (): void => {
      const { node, drop } = this;
      this.cancel();
      if (node === null) return;
      swallowClick();
      if (touch && drop === null) this.onheld(node.id);
      if (drop && !standsAt(this.#tree.branches, node, drop.place)) {
        if (drop.into) this.#tree.setCollapsed(drop.place.parentId ?? '', false);
        void this.#tree.move(node.id, drop.place);
      }
    };
    const key = (pressed: KeyboardEvent): void => {
      if (pressed.key !== 'Escape' || this.node === null) return;
      pressed.preventDefault();
      pressed.stopPropagation();
      this.cancel();
      addEventListener('pointerup', swallowClick, { once: true });
    };
    const cancel = (): void => this.cancel();
    addEventListener('pointermove', move, true);
    addEventListener('pointerup', up);
    addEventListener('pointercancel', cancel);
    addEventListener('keydown', key, true);
    this.#end = () => {
      clearTimeout(timer);
      removeEventListener('pointermove', move, true);
      removeEventListener('pointerup', up);
      removeEventListener('pointercancel', cancel);
      removeEventListener('keydown', key, true);
    };
  }

  cancel(): void {
    this.#end?.();
    this.#end = null;
    this.touching = false;
    this.node = null;
    this.drop = null;
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
  }

  #over(y: number): void {
    const list = this.#list();
    if (!list || !this.node) return;
    const box = list.getBoundingClientRect();
    const at = (y - box.top + list.scrollTop) / ROW_HEIGHT;
    this.drop = dropAt(this.#tree.rows, this.#tree.branches, this.node, at);
    const by = y < box.top + EDGE ? -SCROLL_BY : y > box.bottom - EDGE ? SCROLL_BY : 0;
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    const top = list.scrollTop;
    if (by === 0) return;
    this.#frame = requestAnimationFrame(() => {
      list.scrollTop = top + by;
      if (list.scrollTop !== top) this.#over(y);
    });
  }
}

/** The click that follows the end of a drag selects nothing. */
function swallowClick(): void {
  const swallow = (event: MouseEvent): void => event.stopPropagation();
  addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', swallow, true));
}
