import type { Node } from '@filepath/protocol';
import { actionsFor, type NodeAction, type OfferedAction } from './node-actions.ts';
import { placeBy } from './tree-moves.ts';
import { isActive, type TreeView } from './tree-view.svelte.ts';

export type Asking = { readonly action: 'stop' | 'delete'; readonly node: Node };

type Host = {
  readonly tree: TreeView;
  select(id: string): void;
  /** Opens the form for an agent below the selected one. */
  spawn(): void;
};

/** What can be done with the agents of a tree: by keys, by the menu of a row and by the palette alike. */
export class TreeCommands {
  /** The node whose name is being typed. */
  renaming = $state<string | null>(null);
  /** What waits for a yes. */
  asking = $state.raw<Asking | null>(null);
  help = $state(false);
  /** A node that is to be selected before an agent is spawned below it. */
  spawnBelow = $state<string | null>(null);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  offered(node: Node): OfferedAction[] {
    const { tree } = this.#host;
    return actionsFor({
      node,
      active: this.#active(node),
      can: (direction) => placeBy(tree.branches, node, direction) !== null,
    });
  }

  run(action: NodeAction, id: string): void {
    const { tree } = this.#host;
    const node = tree.nodes.get(id);
    if (!node) return;
    switch (action) {
      case 'open':
        return this.#host.select(id);
      case 'spawn':
        this.spawnBelow = id;
        return this.#host.select(id);
      case 'rename':
        tree.reveal(id);
        this.renaming = id;
        return;
      case 'stop':
        if (tree.activeBelow(id)) this.asking = { action, node };
        else if (this.#active(node)) void tree.signal(id, 'stop');
        return;
      case 'delete':
        this.asking = { action, node };
        return;
      case 'pause':
      case 'resume':
        void tree.signal(id, action);
        return;
      default: {
        const place = placeBy(tree.branches, node, action);
        if (place === null) return;
        if (place.parentId !== null) tree.setCollapsed(place.parentId, false);
        void tree.move(id, place);
      }
    }
  }

  /** What the person said to what was asked. */
  answer(yes: boolean): void {
    const asked = yes ? this.asking : null;
    this.asking = null;
    if (asked?.action === 'stop') void this.#host.tree.signal(asked.node.id, 'stop');
    if (asked?.action === 'delete') void this.#host.tree.deleteNode(asked.node.id);
  }

  /** To be called whenever the selected node changes. */
  selected(id: string | null): void {
    if (this.spawnBelow === null || this.spawnBelow !== id) return;
    this.spawnBelow = null;
    this.#host.spawn();
  }

  /** What was asked for is still done when the tree goes from the page. */
  leave(): void {
    if (this.spawnBelow !== null) this.selected(this.spawnBelow);
  }

  async rename(id: string, name: string): Promise<void> {
    this.renaming = null;
    const { tree } = this.#host;
    if (name === '' || tree.nodes.get(id)?.name === name) return;
    await tree.rename(id, name);
  }

  #active(node: Node): boolean {
    return isActive(node) || this.#host.tree.activeBelow(node.id);
  }
}
