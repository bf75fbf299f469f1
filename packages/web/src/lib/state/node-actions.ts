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
  reason !== null && /^paused(?::|$)/.test(reason);

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
