import { SvelteSet } from 'svelte/reactivity';
import type { FeedState, Following } from '@filepath/client';
import type { Node, Session, SignalCreate, TreeChange } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { PerFrame } from './per-frame.ts';
import { recallCollapsed, rememberCollapsed } from './tree-collapsed.ts';
import { isFiltering, matchesOf, type TreeFilter, withAncestors } from './tree-filter.ts';
import { type Place, withMoved } from './tree-moves.ts';
import { PendingMoves } from './tree-pending.ts';
import { branchesOf, type Row, rowsOf } from './tree-rows.ts';

/** A child as a conversation names it. An agent's own words have no id. */
export type NamedChild = { readonly name: string; readonly id?: string };

/** A session's tree as its feed tells it, at most once a frame, with the moves that are not confirmed yet. */
export class TreeView {
  session = $state.raw<Session | null>(null);
  nodes = $state.raw<ReadonlyMap<string, Node>>(new Map());
  state = $state<FeedState>('connecting');
  problem = $state<string | null>(null);
  filter = $state.raw<TreeFilter>({ words: '', status: null });
  readonly collapsed: SvelteSet<string>;

  branches = $derived(branchesOf(this.nodes));
  filtering = $derived(isFiltering(this.filter));
  matches = $derived(this.filtering ? matchesOf(this.nodes, this.filter) : null);
  /** What the filter was asked for; what else is shown only leads there. */
  matched = $derived(this.matches && new Set(this.matches.map(({ id }) => id as string)));
  rows = $derived.by(() => {
    const only = this.matches === null ? null : withAncestors(this.nodes, this.matches);
    this.#rows = rowsOf(this.branches, { collapsed: this.collapsed, only }, this.#rows);
    return this.#rows;
  });
  /** Of the whole session: its top nodes count what is below them. */
  completion = $derived.by(() => {
    const tops = this.branches.get(null) ?? [];
    const sum = (of: (node: Node) => number): number => tops.reduce((all, one) => all + of(one), 0);
    return { done: sum((node) => node.done), total: sum((node) => node.total) };
  });

  readonly id: string;
  #rows: readonly Row[] = [];
  #known = new Map<string, Node>();
  readonly #moves = new PendingMoves();
  readonly #following: Following;
  readonly #frame = new PerFrame(() => this.#show());

  constructor(id: string) {
    this.id = id;
    this.collapsed = new SvelteSet(recallCollapsed(id));
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
    this.#frame.cancel();
  }

  /** The named node, or the first one when there is no such node. */
  find(id: string | null): Node | null {
    const named = id === null ? undefined : this.nodes.get(id);
    return named ?? this.branches.get(null)?.[0] ?? null;
  }

  /** By its id where there is one: names may be the same. */
  childOf(parent: string, { id, name }: NamedChild): Node | null {
    const children = this.branches.get(parent) ?? [];
    return (
      children.find((node) => (id === undefined ? node.name === name : node.id === id)) ?? null
    );
  }

  /** Everything below the node. */
  below(id: string): Node[] {
    return (this.branches.get(id) ?? []).flatMap((child) => [child, ...this.below(child.id)]);
  }

  /** Whether anything below the node still works: a stop reaches the whole subtree. */
  activeBelow(id: string): boolean {
    return (this.branches.get(id) ?? []).some(
      (child) => isActive(child) || this.activeBelow(child.id),
    );
  }

  toggle(id: string): void {
    this.setCollapsed(id, !this.collapsed.has(id));
  }

  setCollapsed(id: string, collapsed: boolean): void {
    if (collapsed) this.collapsed.add(id);
    else this.collapsed.delete(id);
    const there = [...this.collapsed].filter((one) => this.nodes.has(one));
    rememberCollapsed(this.id, there);
  }

  /** Opens all that stands above the node, so that its row is there. */
  reveal(id: string): void {
    let up = this.nodes.get(id)?.parentId ?? null;
    for (let steps = 0; up !== null && steps < this.nodes.size; steps += 1) {
      if (this.collapsed.has(up)) this.setCollapsed(up, false);
      up = this.nodes.get(up)?.parentId ?? null;
    }
  }

  /** True when the node and everything below it are deleted. */
  deleteNode(id: string): Promise<boolean> {
    return this.#try(() => client.node.delete(this.id, id));
  }

  signal(id: string, action: SignalCreate['action']): Promise<boolean> {
    return this.#try(() => client.thread.signal(id, action));
  }

  rename(id: string, name: string): Promise<boolean> {
    return this.#try(async () => {
      const node = await client.node.update(this.id, id, { name });
      this.#put(id, { name: node.name, slug: node.slug });
    });
  }

  /** Shown at once; taken back, with the reason, when it is refused. */
  async move(id: string, place: Place): Promise<boolean> {
    const move = this.#moves.begin(id, place);
    this.#show();
    const moved = await this.#try(async () => {
      const { parentId, sortOrder } = await client.node.update(this.id, id, { ...place });
      this.#put(id, { parentId, sortOrder });
    });
    if (moved) this.#moves.accept(move);
    else this.#moves.drop(move);
    this.#show();
    return moved;
  }

  #take(changes: readonly TreeChange[]): void {
    for (const change of changes) {
      if (change.type === 'session') this.session = change.session;
      else if (change.type === 'node') {
        this.#known.set(change.node.id, change.node);
        this.#moves.heard(change.node.id);
      } else this.#known.delete(change.id);
    }
    this.#frame.ask();
  }

  /** Only what was asked for: the feed may know of a newer status than the answer. */
  #put(id: string, part: Partial<Node>): void {
    const node = this.#known.get(id);
    if (node) this.#known.set(id, { ...node, ...part });
    this.#frame.ask();
  }

  #show(): void {
    let nodes: ReadonlyMap<string, Node> = new Map(this.#known);
    for (const { id, place } of this.#moves.all) {
      nodes = withMoved(nodes, branchesOf(nodes), id, place);
    }
    this.nodes = nodes;
  }

  async #try(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.problem = null;
      return true;
    } catch (error) {
      await this.#fail(error);
      return false;
    }
  }

  async #fail(error: unknown): Promise<void> {
    this.problem = await problemOf(error);
  }
}

export function isActive(node: Node): boolean {
  return node.status === 'running' || node.status === 'thinking' || node.reason === 'queued';
}
