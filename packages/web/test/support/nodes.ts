import {
  newSessionId,
  newThreadId,
  NO_BUDGET,
  NO_USAGE,
  type Node,
  type ThreadId,
} from '@filepath/protocol';

const sessionId = newSessionId();
const ids = new Map<string, ThreadId>();

/** The id of the node with this name, the same each time. */
export function idOf(name: string): ThreadId {
  const id = ids.get(name) ?? newThreadId();
  ids.set(name, id);
  return id;
}

export function makeNode(
  name: string,
  parent: string | null,
  sortOrder = 0,
  part: Partial<Node> = {},
): Node {
  return {
    id: idOf(name),
    sessionId,
    parentId: parent === null ? null : idOf(parent),
    name,
    slug: name,
    agentType: 'custom',
    model: '',
    status: 'idle',
    reason: null,
    config: {},
    sortOrder,
    tokens: 0,
    usage: NO_USAGE,
    subtree: NO_USAGE,
    budget: NO_BUDGET,
    blocked: null,
    queue: null,
    contextPct: null,
    done: 0,
    total: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...part,
  };
}

export const mapOf = (...nodes: Node[]): Map<string, Node> =>
  new Map(nodes.map((node) => [node.id, node]));

/** root > plan > (db, api), review. */
export const TREE = mapOf(
  makeNode('review', 'root', 2),
  makeNode('plan', 'root', 1),
  makeNode('api', 'plan', 1),
  makeNode('db', 'plan', 0),
  makeNode('root', null),
);
