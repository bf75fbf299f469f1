import { getContext, setContext } from 'svelte';
import type { TreeView } from './tree-view.svelte.ts';

const AGENTS = Symbol('agents of the session');
const THREAD = Symbol('thread of the panel');

/** For what is shown in a panel: whose thread it is, and the other agents that it may name. */
export function setPanelContext(thread: string, tree: TreeView): void {
  setContext(THREAD, thread);
  setContext(AGENTS, tree);
}

export function sessionAgents(): Pick<TreeView, 'nodes'> {
  return getContext<TreeView | undefined>(AGENTS) ?? { nodes: new Map() };
}

export function panelThread(): string {
  return getContext<string | undefined>(THREAD) ?? '';
}

/** Whether the session has a repository: what can hold for one only is offered where there is one. */
export function sessionHasRepository(): () => boolean {
  const tree = getContext<TreeView | undefined>(AGENTS);
  return () => (tree?.session?.gitRepoUrl ?? null) !== null;
}
