import { SvelteSet } from 'svelte/reactivity';
import type { FeedState, Following } from '@filepath/client';
import type { Node, Session, TreeChange } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { rowsOf } from './tree-rows.ts';

/** A session's tree as its feed tells it. */
export class TreeView {
  session = $state.raw<Session | null>(null);
  nodes = $state.raw<ReadonlyMap<string, Node>>(new Map());
  state = $state<FeedState>('connecting');
  problem = $state<string | null>(null);
  readonly collapsed = new SvelteSet<string>();
  rows = $derived(rowsOf(this.nodes, this.collapsed));
  /** Of the whole session: its top nodes count what is below them. */
  completion = $derived.by(() => {
    const tops = this.rows.filter((row) => row.depth === 0).map((row) => row.node);
    const sum = (of: (node: Node) => number): number => tops.reduce((all, one) => all + of(one), 0);
    return { done: sum((node) => node.done), total: sum((node) => node.total) };
  });

  readonly id: string;
  readonly #following: Following;

  constructor(id: string) {
    this.id = id;
    this.#following = client.followTree(id, {
      onEvents: (changes) => this.#take(changes),
      onState: (state, error) => {
        this.state = state;
        if (error) void this.#fail(error);
      },
    });
  }

  close(): void {
    this.#following.close();
  }

  /** The named node, or the root when there is no such node. */
  find(id: string | null): Node | null {
    const named = id === null ? undefined : this.nodes.get(id);
    return named ?? this.rows[0]?.node ?? null;
  }

  childNamed(parent: string, name: string): Node | null {
    for (const node of this.nodes.values()) {
      if (node.parentId === parent && node.name === name) return node;
    }
    return null;
  }

  /** Whether anything below the node still works: a stop reaches the whole subtree. */
  activeBelow(id: string): boolean {
    for (const node of this.nodes.values()) {
      if (!isActive(node)) continue;
      let up = node.parentId;
      for (let steps = 0; up !== null && steps < this.nodes.size; steps += 1) {
        if (up === id) return true;
        up = this.nodes.get(up)?.parentId ?? null;
      }
    }
    return false;
  }

  toggle(id: string): void {
    if (!this.collapsed.delete(id)) this.collapsed.add(id);
  }

  /** True when the node and everything below it are deleted. */
  async deleteNode(id: string): Promise<boolean> {
    try {
      await client.node.delete(this.id, id);
      this.problem = null;
      return true;
    } catch (error) {
      await this.#fail(error);
      return false;
    }
  }

  #take(changes: readonly TreeChange[]): void {
    const nodes = new Map(this.nodes);
    for (const change of changes) {
      if (change.type === 'session') this.session = change.session;
      else if (change.type === 'node') nodes.set(change.node.id, change.node);
      else nodes.delete(change.id);
    }
    this.nodes = nodes;
  }

  async #fail(error: unknown): Promise<void> {
    this.problem = await problemOf(error);
  }
}

export function isActive(node: Node): boolean {
  return node.status === 'running' || node.status === 'thinking' || node.reason === 'queued';
}
