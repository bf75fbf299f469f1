import { newSessionId, type ThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { USUAL_CAPS } from '../../src/session/caps.ts';
import { SESSION_MIGRATIONS } from '../../src/session/schema.ts';
import { Session } from '../../src/session/session.ts';
import { shownPlace } from '../../src/session/starts.ts';
import { migrate } from '../../src/storage/schema.ts';
import { nodeSql } from './support/node-sql.ts';

const custom = { agentType: 'custom' as const, config: { command: ['true'] } };

function newSession(working: number) {
  const sql = nodeSql();
  migrate(sql, SESSION_MIGRATIONS);
  const at = '2026-01-01T00:00:00.000Z';
  const deps = {
    sql,
    now: () => Date.parse(at),
    newKey: () => 'key',
    keyHash: (key: string) => key,
    caps: { ...USUAL_CAPS, working },
  };
  const meta = { owner: 'owner', name: 's', gitRepoUrl: null, createdAt: at, updatedAt: at };
  const id = newSessionId();
  const session = new Session(deps, {
    ...meta,
    id,
    head: 1,
    changeSeq: 1,
    started: false,
    stopped: false,
  });
  let seq = 0;
  const add = (parentId: ThreadId | null = null) => session.addNode({ ...custom, parentId }).id;
  return {
    sql,
    session,
    add,
    wish: (node: ThreadId, epoch = 1) => session.noteWish(node, { epoch, wants: true }),
    withdraw: (node: ThreadId, epoch = 1) => session.noteWish(node, { epoch, wants: false }),
    tell: (node: ThreadId, status: 'running' | 'done') => {
      seq += 1;
      const open = status === 'running';
      const note = { seq, status, reason: null, contextPct: null, stopped: false, open };
      session.noteStatus(node, note);
    },
    going: () => session.starts.going().map(({ thread }) => thread),
    places: () => session.tree().nodes.map(({ queue }) => queue),
  };
}

describe('the line of starts', () => {
  it('[QUE3] [QUE4] lets as many go as there are slots, in order, and shows the places of the others', () => {
    const { add, wish, tell, going, places } = newSession(2);
    const nodes = [add(), add(), add(), add()] as const;
    for (const node of nodes) wish(node);
    expect(going()).toEqual(nodes.slice(0, 2));
    expect(places()).toEqual([null, null, 1, 2]);
    tell(nodes[1], 'running');
    tell(nodes[1], 'done');
    expect(going()).toEqual(nodes.slice(0, 3));
    expect(places()).toEqual([null, null, null, 1]);
  });

  it('[QUE3] a parent takes no slot while a child is at work or in line', () => {
    const { add, wish, tell, going, places } = newSession(1);
    const root = add();
    const [a, b] = [add(root), add(root)];
    const grandchild = add(a);
    wish(root);
    expect(going()).toEqual([root]);
    wish(a);
    wish(b);
    expect(going()).toEqual([root, a]);
    expect(places()).toEqual([null, null, 1, null]);
    wish(grandchild);
    expect(going()).toEqual([root, a, b]);
    expect(places()).toEqual([null, null, null, 1]);
    tell(b, 'done');
    expect(going()).toEqual([root, a, b, grandchild]);
    // Its child is done: it takes a slot again, whether one is free or not.
    wish(b, 2);
    tell(grandchild, 'done');
    expect(places()).toEqual([null, null, 1, null]);
    tell(a, 'done');
    expect(places()).toEqual([null, null, null, null]);
  });

  it('[QUE3] lets a node go that takes no slot, since its children are at work', () => {
    const { add, wish, tell, going } = newSession(1);
    const root = add();
    const child = add(root);
    wish(root);
    wish(child);
    tell(root, 'done');
    wish(root, 2);
    expect(going()).toContain(root);
  });

  it('[QUE1] lets a wish go once, however often it is told', () => {
    const { add, wish, going, session } = newSession(1);
    const node = add();
    wish(node);
    wish(node);
    session.starts.told({ thread: node, epoch: 1 });
    wish(node);
    expect(going()).toEqual([]);
    wish(node, 2);
    expect(going()).toEqual([node]);
    session.starts.told({ thread: node, epoch: 1 });
    expect(going()).toEqual([node]);
  });

  it('[QUE2] gives the place up that is withdrawn, stopped or deleted', () => {
    const { add, wish, withdraw, going, places, session } = newSession(1);
    const nodes = [add(), add(), add(), add()] as const;
    for (const node of nodes) wish(node);
    withdraw(nodes[1]);
    wish(nodes[1]);
    expect(places()).toEqual([null, null, 1, 2]);
    session.halt(nodes[2]);
    expect(places()).toEqual([null, null, null, 1]);
    session.drop(nodes[0]);
    expect(going()).toEqual([nodes[3]]);
  });

  it('[QUE1] a wish of a node whose stop was under way goes when the stop is delivered', () => {
    const { add, wish, going, session } = newSession(1);
    const node = add();
    session.halt(node);
    wish(node);
    expect(going()).toEqual([]);
    session.halted(node, 7);
    expect(going()).toEqual([node]);
  });

  it('[QUE4] changes few nodes when one of many goes', () => {
    const { add, wish, tell, session } = newSession(1);
    const nodes = Array.from({ length: 120 }, () => add());
    for (const node of nodes) wish(node);
    session.takeTouched();
    tell(nodes[0] ?? add(), 'done');
    expect(session.takeTouched().length).toBeLessThan(60);
    expect([1, 50, 51, 100, 101].map(shownPlace)).toEqual([1, 50, 100, 100, 150]);
  });
});
