import { tick } from 'svelte';
import { actionOfKey } from './node-actions.ts';
import type { TreeCommands } from './tree-commands.svelte.ts';
import { stepFrom } from './tree-rows.ts';
import { scrollFor, windowOf } from './tree-window.ts';
import type { TreeView } from './tree-view.svelte.ts';
import { TypeAhead } from './type-ahead.ts';

const LETTER = /^[\p{L}\p{N}._-]$/u;

/** The list of rows as it is seen and gone through: only those in sight, and the one with the focus, are in the page. */
export class TreeList {
  element = $state.raw<HTMLElement | null>(null);
  scrolled = $state(0);
  height = $state(0);
  focused = $state<string | null>(null);
  /** Rows that stay in the page whatever is in sight. */
  pinned = $state.raw<string | null>(null);

  readonly #tree: TreeView;
  readonly #commands: TreeCommands;
  readonly #selected: () => string | null;
  readonly #typeAhead = new TypeAhead();
  #held = false;
  #lastIndex = 0;

  #places = $derived.by(
    () => new Map(this.#tree.rows.map((row, index) => [row.node.id as string, index])),
  );
  /** The row that Tab leads to. */
  entry = $derived.by(() => {
    const wanted = [this.focused, this.#selected()].find(
      (id) => id !== null && this.#places.has(id),
    );
    return wanted ?? this.#tree.rows[0]?.node.id ?? null;
  });
  indexes = $derived.by(() => {
    const always = [this.entry, this.pinned, this.#commands.renaming].map((id) => this.#at(id));
    return windowOf(this.#tree.rows.length, this.scrolled, this.height, always);
  });

  constructor(tree: TreeView, commands: TreeCommands, selected: () => string | null) {
    this.#tree = tree;
    this.#commands = commands;
    this.#selected = selected;
  }

  async focus(id: string): Promise<void> {
    this.focused = id;
    this.#held = true;
    await tick();
    this.#row(id)?.focus({ preventScroll: true });
    this.scrollTo(id);
  }

  scrollTo(id: string): void {
    const index = this.#at(id);
    if (index !== -1) this.element?.scrollTo({ top: scrollFor(index, this.scrolled, this.height) });
  }

  entered(id: string | null): void {
    this.#held = true;
    this.focused = id;
    this.#lastIndex = Math.max(0, this.#at(id));
  }

  /** A row that leaves the page, or changes its place in it, loses the focus to nobody: that is no leaving. */
  left(to: EventTarget | null): void {
    if (to !== null && !(to instanceof Node && this.element?.contains(to))) this.#held = false;
  }

  pointedElsewhere(at: EventTarget | null): void {
    if (!(at instanceof Node && this.element?.contains(at))) this.#held = false;
  }

  /** After the rows have changed: gives the focus back to its row, or to the one in its place. */
  keepFocus(): void {
    if (!this.#held || document.activeElement !== document.body) return;
    const { rows } = this.#tree;
    const still = this.#at(this.focused);
    const row = rows[still === -1 ? Math.min(this.#lastIndex, rows.length - 1) : still];
    if (row) void this.focus(row.node.id);
  }

  /** True when the key meant something here. */
  press(event: KeyboardEvent, id: string): boolean {
    const node = this.#tree.nodes.get(id);
    if (!node) return false;
    const { key } = event;
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
    if (plain && this.#typeAhead.open && LETTER.test(key)) return this.#find(id, key);
    const action = actionOfKey(event, node);
    if (action !== null) {
      this.#commands.run(action, id);
      return true;
    }
    if (!plain) return false;
    if (key === ' ') return this.#space(id);
    if (LETTER.test(key)) return this.#find(id, key);
    const step = stepFrom(this.#tree.rows, id, key);
    if (step === null) return false;
    if ('focus' in step) void this.focus(step.focus);
    else if ('expand' in step) this.#tree.setCollapsed(step.expand, false);
    else this.#tree.setCollapsed(step.collapse, true);
    return true;
  }

  #space(id: string): boolean {
    const row = this.#tree.rows[this.#at(id)];
    if (row && row.children > 0) this.#tree.toggle(id);
    else this.#commands.run('open', id);
    return true;
  }

  #find(id: string, letter: string): boolean {
    const found = this.#typeAhead.find(this.#tree.rows, id, letter);
    if (found !== null) void this.focus(found);
    return true;
  }

  #at(id: string | null): number {
    return id === null ? -1 : (this.#places.get(id) ?? -1);
  }

  #row(id: string): HTMLElement | null {
    return this.element?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`) ?? null;
  }
}
