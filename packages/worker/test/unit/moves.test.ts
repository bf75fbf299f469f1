import { newThreadId, type ThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ended, newTree, tokens } from './support/ledgers.ts';
import { newSession } from './support/sessions.ts';

type Tree = ReturnType<typeof newSession>;

/** Children of a node, or the roots, by their order. */
const order = ({ session }: Tree, parent: ThreadId | null): ThreadId[] =>
  session
    .tree()
    .nodes.filter(({ parentId }) => parentId === parent)
    .toSorted((a, b) => a.sortOrder - b.sortOrder)
    .map(({ id }) => id);

describe('moving a node', () => {
  it('[TREE14] takes everything below it along, and counts above both places', () => {
    const t = newSession();
    const [a, b] = [t.add(), t.add()];
    const child = t.add(a);
    const leaf = t.add(child);
    t.add(a);
    t.tell(leaf, 'done');
    t.session.takeTouched();
    t.session.patchNode(child, { parentId: b, name: 'moved' });
    expect(order(t, b)).toEqual([child]);
    const counts = [a, b].map((id) => t.session.node(id)).map(({ done, total }) => [done, total]);
    expect(counts).toEqual([
      [0, 1],
      [1, 1],
    ]);
    const told = t.session.takeTouched().map(({ json }) => JSON.parse(json) as unknown);
    expect(told).toContainEqual(
      expect.objectContaining({ node: expect.objectContaining({ id: child, parentId: b }) }),
    );
    t.session.patchNode(child, { parentId: null });
    expect(order(t, null)).toEqual([a, b, child]);
    expect(t.session.nodes.toConfigure().map(({ id }) => id)).toContain(child);
  });

  it('[TREE14] before itself leaves it where it is, and is refused under another parent', () => {
    const t = newSession();
    const [a, b, c] = [t.add(), t.add(), t.add()];
    t.session.patchNode(b, { before: b });
    expect(order(t, null)).toEqual([a, b, c]);
    expect(() => t.session.patchNode(b, { parentId: c, before: b })).toThrow(/before itself/);
    expect(order(t, null)).toEqual([a, b, c]);
  });

  it('[TALK8] is told to the parents on both sides', () => {
    const t = newSession();
    const [a, b] = [t.add(), t.add()];
    const child = t.add(a);
    const { workersTold } = t.session;
    const untold = () => workersTold.untold().map(({ parent }) => parent);
    for (const family of workersTold.untold()) workersTold.told(family);
    t.session.patchNode(child, { parentId: b });
    expect(untold().toSorted()).toEqual([a, b].toSorted());
    expect(workersTold.of(a).workers).toEqual([]);
  });

  it('[TREE14] changes the order of siblings, and touches those whose place changed', () => {
    const t = newSession();
    const root = t.add();
    const [a, b, c, d] = [t.add(root), t.add(root), t.add(root), t.add(root)];
    t.session.takeTouched();
    t.session.patchNode(c, { before: b });
    expect(order(t, root)).toEqual([a, c, b, d]);
    expect(t.session.takeTouched().every(({ json }) => !json.includes(`"id":"${d}"`))).toBe(true);
    t.session.patchNode(a, { before: null });
    expect(order(t, root)).toEqual([c, b, d, a]);
    t.session.patchNode(a, { parentId: b, before: null });
    expect(order(t, b)).toEqual([a]);
  });

  it('[TREE14] is refused where it would make a cycle, too deep or too wide a tree, or leave the session', () => {
    const t = newSession({ depth: 3, children: 2 });
    const [a, b] = [t.add(), t.add()];
    const child = t.add(a);
    const leaf = t.add(child);
    const before = t.session.tree();
    const move = (id: ThreadId, parentId: ThreadId) => () => t.session.patchNode(id, { parentId });
    expect(move(a, leaf)).toThrow(/cannot stand below itself/);
    expect(move(a, a)).toThrow(/cannot stand below itself/);
    expect(move(a, newThreadId())).toThrow(/parent node/);
    expect(move(b, leaf)).toThrow(/at most 3 levels deep/);
    expect(move(a, b)).toThrow(/at most 3 levels deep/);
    expect(() => t.session.patchNode(leaf, { before: b })).toThrow(/to stand before/);
    expect(t.session.tree()).toEqual(before);
    t.add(b);
    t.add(b);
    expect(move(leaf, b)).toThrow(/at most 2 children/);
    t.session.drop(child);
    expect(move(b, child)).toThrow(/parent node/);
  });

  it('[PAUSE1] pauses what moves below a paused node, and lets go what moves away', () => {
    const t = newSession();
    const [a, b] = [t.add(), t.add()];
    const child = t.add(b);
    t.session.pause(a, { by: 'user', reason: null, until: null });
    t.session.patchNode(b, { parentId: a });
    const held = () => [b, child].map((id) => t.session.nodes.find(id)?.held !== null);
    expect(held()).toEqual([true, true]);
    t.session.patchNode(b, { parentId: null });
    expect(held()).toEqual([false, false]);
  });
});

describe('the books of a node that moved', () => {
  it('[LED30] keep what was used where it was, and settle a call where it was reserved', () => {
    const t = newTree();
    const [a, b] = [t.add(), t.add()];
    const child = t.add(a);
    const spent = t.reserve(child);
    t.ledger.settle(spent.call, ended({ input: 10, output: 1 }));
    const flying = t.reserve(child);
    t.session.patchNode(child, { parentId: b });
    const next = t.reserve(child);
    const held = (scope: string) => t.accounts.get(scope).held_tokens;
    expect([held(a), held(b), held(child)]).toEqual([5000, 5000, 10_000]);
    t.ledger.settle(flying.call, ended({ input: 20, output: 2 }));
    t.ledger.settle(next.call, ended({ input: 40, output: 4 }));
    expect([held(a), held(b), held(child), held('session')]).toEqual([0, 0, 0, 0]);
    const used = (node: ThreadId) => t.node(node).subtree.tokens;
    expect(used(a)).toEqual(tokens({ input: 30, output: 3 }));
    expect(used(b)).toEqual(tokens({ input: 40, output: 4 }));
    expect(used(child)).toEqual(tokens({ input: 70, output: 7 }));
  });

  it('[LED30] hold a call to the budgets above where it now stands, and to no others', () => {
    const t = newTree();
    const [free, poor] = [t.add(), t.add(null, { tokens: 2500, usd: null })];
    const child = t.add(free);
    const bound = () => t.ledger.grant(t.ask(child), true);
    expect(bound()).toMatchObject({ ok: true, outputBound: 4000 });
    t.ledger.write();
    t.session.patchNode(child, { parentId: poor });
    expect(bound()).toEqual({ ok: true, outputBound: 1500 });
    t.session.patchNode(child, { parentId: free });
    expect(bound()).toMatchObject({ ok: true, outputBound: 4000 });
  });

  it('[LED30] take an estimate back from where it was charged', () => {
    const t = newTree();
    const [a, b] = [t.add(), t.add()];
    const child = t.add(a);
    const { call } = t.reserve(child);
    t.ledger.settle(call, ended(null));
    t.session.patchNode(child, { parentId: b });
    t.ledger.settle(call, ended({ input: 5, output: 1 }));
    expect(t.node(a).subtree.tokens).toEqual(tokens({ input: 5, output: 1 }));
    expect(t.node(b).subtree.tokens).toEqual(tokens({}));
  });
});
