import type { Node } from '@filepath/protocol';
import { type Drop, dropAt, standsAt } from './tree-moves.ts';
import type { TreeView } from './tree-view.svelte.ts';
import { ROW_HEIGHT } from './tree-window.ts';

/** A pointer that moves less than this clicks. */
const SLOP = 5;
/** So near to an edge the list scrolls, and this far for each frame. */
const EDGE = 24;
const SCROLL_BY = 9;

/** Takes a row to another place by a mouse or a pen. A finger scrolls; it has the menu for that. */
export class TreeDrag {
  node = $state.raw<Node | null>(null);
  drop = $state.raw<Drop | null>(null);
  readonly #tree: TreeView;
  readonly #list: () => HTMLElement | null;
  #end: (() => void) | null = null;
  #frame: number | null = null;

  constructor(tree: TreeView, list: () => HTMLElement | null) {
    this.#tree = tree;
    this.#list = list;
  }

  /** Begins once the pointer has moved. A filtered tree has gaps, and cannot be put in order. */
  press(event: PointerEvent, id: string): void {
    if (event.button !== 0 || event.pointerType === 'touch' || this.#tree.filtering) return;
    this.cancel();
    const from = { x: event.clientX, y: event.clientY };
    const move = ({ clientX, clientY }: PointerEvent): void => {
      const near = Math.hypot(clientX - from.x, clientY - from.y) < SLOP;
      if (this.node === null && near) return;
      this.node ??= this.#tree.nodes.get(id) ?? null;
      this.#over(clientY);
    };
    const up = (): void => {
      const { node, drop } = this;
      this.cancel();
      if (node === null) return;
      swallowClick();
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
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
    addEventListener('pointercancel', cancel);
    addEventListener('keydown', key, true);
    this.#end = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
      removeEventListener('pointercancel', cancel);
      removeEventListener('keydown', key, true);
    };
  }

  cancel(): void {
    this.#end?.();
    this.#end = null;
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
