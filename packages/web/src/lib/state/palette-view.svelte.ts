import { tick } from 'svelte';
import { goto } from '$app/navigation';
import type { NodeEntry } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { palette } from './palette.svelte.ts';
import { groupsFor, itemsOfAgents, itemsOfNode, type PaletteItem } from './palette-items.ts';
import { Theme } from './theme.svelte.ts';

/** What the palette offers while it is open. */
export class PaletteView {
  typed = $state('');
  nodes = $state.raw<readonly NodeEntry[] | null>(null);
  problem = $state<string | null>(null);

  #chosen: PaletteItem | null = null;
  /** Enter was pressed for this before there was anything to choose. */
  #awaited: string | null = null;
  #acts = $derived.by(() => {
    const { context } = palette;
    const node = context?.tree.nodes.get(context.selected() ?? '');
    return context && node ? itemsOfNode(node, context.commands.offered(node)) : [];
  });
  #agents = $derived(itemsOfAgents(this.nodes ?? [], palette.context?.tree.id ?? null));
  groups = $derived(groupsFor(this.typed, { acts: this.#acts, agents: this.#agents }));

  async load(): Promise<void> {
    try {
      this.nodes = await client.node.list();
    } catch (error) {
      this.problem = await problemOf(error);
    }
    const [first] = this.groups.flatMap(({ items }) => items);
    if (this.#awaited === this.typed && first) this.choose(first);
  }

  /** Who types a name and presses Enter goes there, also where the agents are still being loaded. */
  enter(): void {
    if (this.nodes === null && this.groups.length === 0) this.#awaited = this.typed;
  }

  choose(item: PaletteItem): void {
    this.#chosen = item;
    palette.open = false;
  }

  /** Only now: what is done may take the focus, which the palette gives back when it closes. */
  async closed(): Promise<void> {
    const item = this.#chosen;
    this.#chosen = null;
    await tick();
    if (item !== null) this.#run(item);
  }

  #run(item: PaletteItem): void {
    if ('go' in item) void goto(item.go);
    else if ('act' in item) palette.context?.commands.run(item.act, item.on);
    else if (item.does === 'keys') {
      if (palette.context) palette.context.commands.help = true;
    } else {
      new Theme().toggle();
      // What else on this page follows the choice hears of it as other pages do.
      dispatchEvent(new StorageEvent('storage', { key: 'filepath:theme' }));
    }
  }
}
