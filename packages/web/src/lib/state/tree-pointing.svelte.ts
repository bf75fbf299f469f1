import type TreeMenu from '../components/session/TreeMenu.svelte';
import type TreeTip from '../components/session/TreeTip.svelte';
import type { TreeView } from './tree-view.svelte.ts';

const TIP_AFTER_MS = 550;

/** What shows at a row that is pointed at: its facts after a while, its menu when asked for. Both are loaded then. */
export class TreePointing {
  /** At most one of each. */
  menus = $state.raw<readonly { id: string; at: DOMRect; Menu: typeof TreeMenu }[]>([]);
  tips = $state.raw<readonly { id: string; item: HTMLElement; Tip: typeof TreeTip }[]>([]);
  readonly #tree: TreeView;
  #over: string | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(tree: TreeView) {
    this.#tree = tree;
  }

  async openMenu(id: string, at: DOMRect): Promise<void> {
    this.leave();
    try {
      const { default: Menu } = await import('../components/session/TreeMenu.svelte');
      this.menus = [{ id, at, Menu }];
    } catch {
      this.#tree.problem = 'The menu could not be loaded. Reload the page.';
    }
  }

  /** Whose menu it was. */
  closeMenu(): string | null {
    const id = this.menus[0]?.id ?? null;
    this.menus = [];
    return id;
  }

  over(item: HTMLElement | null): void {
    const id = item?.dataset['node'] ?? null;
    if (id === this.#over) return;
    this.leave();
    if (item === null || id === null || this.menus.length > 0) return;
    this.#over = id;
    this.#timer = setTimeout(() => void this.#show(id, item), TIP_AFTER_MS);
  }

  leave(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#over = null;
    if (this.tips.length > 0) this.tips = [];
  }

  async #show(id: string, item: HTMLElement): Promise<void> {
    try {
      const { default: Tip } = await import('../components/session/TreeTip.svelte');
      if (this.#over === id && item.isConnected) this.tips = [{ id, item, Tip }];
    } catch {
      return;
    }
  }
}
