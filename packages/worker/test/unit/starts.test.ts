import { describe, expect, it } from 'vitest';
import { shownPlace } from '../../src/session/starts.ts';
import { newSession } from './support/sessions.ts';

describe('the line of starts', () => {
  it('[QUE3] [QUE4] lets as many go as there are slots, in order, and shows the places of the others', () => {
    const { add, wish, tell, going, places } = newSession({ working: 2 });
    const nodes = [add(), add(), add(), add()] as const;
    for (const node of nodes) wish(node);
    expect(going()).toEqual(nodes.slice(0, 2));
    expect(places()).toEqual([null, null, 1, 2]);
    tell(nodes[1], 'running');
    tell(nodes[1], 'done');
    expect(going()).toEqual(nodes.slice(0, 3));
    expect(places()).toEqual([null, null, null, 1]);
  });

  it('[QUE3] a parent that waits for its children takes no slot', () => {
    const { add, wish, tell, waits, going, places } = newSession({ working: 1 });
    const root = add();
    const [a, b] = [add(root), add(root)];
    const grandchild = add(a);
    wish(root);
    wish(a);
    wish(b);
    waits(root);
    expect(going()).toEqual([root, a]);
    expect(places()).toEqual([null, null, 1, null]);
    waits(a);
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

  it('[QUE3] a parent that works on beside its children takes a slot, and none starts in its place', () => {
    const { add, wish, waits, going, waiting } = newSession({ working: 3 });
    const root = add();
    const children = [add(root), add(root), add(root)] as const;
    for (const node of [root, ...children]) wish(node);
    expect(going()).toEqual([root, children[0], children[1]]);
    const below = [add(children[0]), add(children[0])] as const;
    for (const node of below) wish(node);
    expect(going()).toHaveLength(3);
    waits(root);
    expect(going()).toEqual([root, ...children]);
    // It works again: nothing starts until there are fewer.
    waiting.clear();
    wish(add(children[1]));
    expect(going()).toEqual([root, ...children]);
  });

  it('[QUE3] where parents hold all slots the lowest in line goes, one at a time', () => {
    const { add, wish, tell, going } = newSession({ working: 1 });
    const root = add();
    const [a, b] = [add(root), add(root)];
    for (const node of [root, a, b]) wish(node);
    expect(going()).toEqual([root, a]);
    const below = add(a);
    wish(below);
    expect(going()).toEqual([root, a, below]);
    tell(below, 'done');
    expect(going()).not.toContain(b);
    tell(a, 'done');
    expect(going()).toContain(b);
  });

  it('[QUE3] lets a parent go whose child is at work: the child may wait for its word', () => {
    const { add, wish, tell, going } = newSession({ working: 1 });
    const root = add();
    const child = add(root);
    wish(root);
    wish(child);
    tell(root, 'done');
    wish(root, 2);
    expect(going()).toContain(root);
  });

  it('[QUE1] lets a wish go once, however often it is told', () => {
    const { add, wish, going, session } = newSession({ working: 1 });
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
    const { add, wish, withdraw, going, places, session } = newSession({ working: 1 });
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
    const { add, wish, going, session } = newSession({ working: 1 });
    const node = add();
    session.halt(node);
    wish(node);
    expect(going()).toEqual([]);
    session.halted(node, 7);
    expect(going()).toEqual([node]);
  });

  it('[QUE4] changes few nodes when one of many goes', () => {
    const { add, wish, tell, session } = newSession({ working: 1 });
    const nodes = Array.from({ length: 150 }, () => add());
    for (const node of nodes) wish(node);
    session.takeTouched();
    tell(nodes[0] ?? add(), 'done');
    expect(session.takeTouched().length).toBeLessThan(57);
    expect([1, 50, 51, 100, 101].map(shownPlace)).toEqual([1, 50, 100, 100, 150]);
  });
});
