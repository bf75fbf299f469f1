import type { AgentState, Node, NodeEntry } from '@filepath/protocol';
import { best } from './fuzzy.ts';
import type { NodeAction, OfferedAction } from './node-actions.ts';

export type PaletteItem = {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly status?: AgentState;
} & (
  | { readonly go: string }
  | { readonly act: NodeAction; readonly on: string }
  | { readonly does: 'theme' | 'keys' }
);

export type PaletteGroup = { readonly title: string; readonly items: readonly PaletteItem[] };

/** What is shown of each group: much at first, more where something was typed. */
const FEW = 6;
const MANY = 40;

/** Acts that need the row in sight stay in the tree. */
const IN_TREE: ReadonlySet<NodeAction> = new Set(['open', 'up', 'down', 'in', 'out']);

export const PLACES: readonly PaletteItem[] = [
  { id: 'sessions', label: 'All sessions', hint: '', go: '/' },
  { id: 'new-session', label: 'New session', hint: '', go: '/?new' },
  { id: 'liteclaw', label: 'LiteClaw', hint: 'your assistant', go: '/assistant' },
  { id: 'settings', label: 'Settings', hint: '', go: '/settings' },
  { id: 'memory', label: 'Memory', hint: '', go: '/memory' },
  { id: 'docs', label: 'Documentation', hint: '', go: '/docs' },
  { id: 'theme', label: 'Switch between light and dark', hint: 'theme', does: 'theme' },
];

const agentUrl = (session: string, node: string): string =>
  `/session/${session}?node=${encodeURIComponent(node)}`;

/** What can be done with the agent on the page. */
export function itemsOfNode(node: Node, offered: readonly OfferedAction[]): PaletteItem[] {
  const acts = offered
    .filter(({ action }) => !IN_TREE.has(action))
    .map(({ action, label, key }) => ({
      id: `do-${action}`,
      label:
        action === 'spawn' ? `Spawn below ${node.name}` : `${label.replace('…', '')} ${node.name}`,
      hint: key,
      act: action,
      on: node.id,
    }));
  const changes = {
    id: 'changes',
    label: `Changes of ${node.name}`,
    hint: '',
    go: `${agentUrl(node.sessionId, node.id)}&view=changes`,
  };
  return [...acts, changes, { id: 'keys', label: 'Keys of the tree', hint: '?', does: 'keys' }];
}

/** Agents to go to: those of the session on the page first. */
export function itemsOfAgents(nodes: readonly NodeEntry[], session: string | null): PaletteItem[] {
  const here = nodes.filter(({ sessionId }) => sessionId === session);
  const elsewhere = nodes.filter(({ sessionId }) => sessionId !== session);
  return [...here, ...elsewhere].map(({ id, sessionId, sessionName, name, status }) => ({
    id,
    label: name,
    hint: sessionName,
    status,
    go: agentUrl(sessionId, id),
  }));
}

/** What fits, by groups; an empty group is left out. */
export function groupsFor(
  typed: string,
  given: { readonly acts: readonly PaletteItem[]; readonly agents: readonly PaletteItem[] },
): PaletteGroup[] {
  const limit = typed.trim() === '' ? FEW : MANY;
  const fitting = (items: readonly PaletteItem[], most: number): PaletteItem[] =>
    best(items, typed, ({ label, hint }) => [label, `${label} ${hint}`, `${hint} ${label}`], most);
  const groups = [
    { title: 'Agents', items: fitting(given.agents, limit) },
    { title: 'This agent', items: fitting(given.acts, MANY) },
    { title: 'Go to', items: fitting(PLACES, MANY) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
