import type { Node } from '@filepath/protocol';
import type { Direction } from './tree-moves.ts';

export type NodeAction =
  'open' | 'spawn' | 'rename' | 'stop' | 'pause' | 'resume' | Direction | 'delete';

/** What the page may offer for a node, with the key that does the same in the tree. */
export type OfferedAction = {
  readonly action: NodeAction;
  readonly label: string;
  readonly key: string;
  /** Starts another group. */
  readonly apart?: boolean;
  readonly danger?: boolean;
};

export type NodeFacts = {
  readonly node: Node;
  /** It works, or something below it does. */
  readonly active: boolean;
  readonly can: (direction: Direction) => boolean;
};

export const isPaused = ({ reason }: Pick<Node, 'reason'>): boolean =>
  reason?.startsWith('paused') ?? false;

const MOVES: readonly (OfferedAction & { action: Direction })[] = [
  { action: 'up', label: 'Move up', key: 'Alt ↑', apart: true },
  { action: 'down', label: 'Move down', key: 'Alt ↓' },
  { action: 'in', label: 'Move below the one above', key: 'Alt →' },
  { action: 'out', label: 'Move beside its parent', key: 'Alt ←' },
];

/** Only what can be done now. */
export function actionsFor({ node, active, can }: NodeFacts): OfferedAction[] {
  const paused = isPaused(node);
  const moves = MOVES.filter(({ action }) => can(action));
  return [
    { action: 'open', label: 'Open', key: 'Enter' },
    { action: 'spawn', label: 'Spawn below', key: 'n' },
    { action: 'rename', label: 'Rename', key: 'F2' },
    ...(active ? [{ action: 'stop', label: 'Stop', key: 's', apart: true } as const] : []),
    paused
      ? { action: 'resume', label: 'Resume', key: 'p', apart: !active }
      : { action: 'pause', label: 'Pause', key: 'p', apart: !active },
    ...moves.map((move, index) => ({ ...move, apart: index === 0 })),
    { action: 'delete', label: 'Delete…', key: 'Del', apart: true, danger: true },
  ];
}

const KEYS: Readonly<Record<string, NodeAction>> = {
  Enter: 'open',
  n: 'spawn',
  F2: 'rename',
  s: 'stop',
  Delete: 'delete',
  Backspace: 'delete',
};

const MOVE_KEYS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
};

type Pressed = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** What a key does to the focused node. */
export function actionOfKey(pressed: Pressed, node: Node): NodeAction | null {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = pressed;
  if (ctrlKey || metaKey || shiftKey) return null;
  if (altKey) return MOVE_KEYS[key] ?? null;
  if (key === 'p') return isPaused(node) ? 'resume' : 'pause';
  return KEYS[key] ?? null;
}

/** The list that `?` shows. */
export const KEY_HELP: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: '↑ ↓ Home End', does: 'go through the rows' },
  { keys: '→ ←', does: 'open and enter a branch; close and leave it' },
  { keys: 'Space', does: 'open or close a branch' },
  { keys: 'Enter', does: 'show the agent' },
  { keys: 'letters', does: 'go to a name (with Shift for n, s and p)' },
  { keys: 'n', does: 'spawn below the agent' },
  { keys: 's', does: 'stop it with all below it' },
  { keys: 'p', does: 'pause or resume it with all below it' },
  { keys: 'F2', does: 'rename it in place' },
  { keys: 'Delete', does: 'delete it, after a question' },
  { keys: 'Alt ↑ ↓', does: 'move it among its siblings' },
  { keys: 'Alt → ←', does: 'move it below the one above; beside its parent' },
  { keys: 'Shift F10', does: 'show what can be done with it' },
  { keys: '/', does: 'search and filter the tree' },
  { keys: 'Ctrl K  ⌘ K', does: 'go to any agent or action' },
  { keys: '?', does: 'show these keys' },
];
