import { describe, expect, it } from 'vitest';
import { MAX_OPEN } from '../../../src/session/ledger/ledger.ts';
import { ended, newTree, type TestTree } from '../support/ledgers.ts';

const stored = (tree: TestTree) => tree.sql.all('SELECT call FROM calls').length;

describe('[LED24] a reservation', () => {
  it('is stored before the call is made where there is a budget', () => {
    const tree = newTree();
    const node = tree.add(null, { tokens: 1e6, usd: null });
    expect(tree.ledger.grant(tree.ask(node), true)).toMatchObject({ ok: true });
    expect(stored(tree)).toBe(1);
  });

  it('is stored before the call is made where the user has a budget', () => {
    const tree = newTree({ tokens: 1e6, nano: null });
    expect(tree.ledger.grant(tree.ask(tree.add()), true)).toMatchObject({ ok: true });
    expect(stored(tree)).toBe(1);
  });

  it('waits for no disk where there is none, and counts all the same', () => {
    const tree = newTree();
    const node = tree.add();
    const ask = tree.ask(node);
    expect(tree.ledger.grant(ask, true)).toMatchObject({ ok: true, outputBound: 4000 });
    expect([stored(tree), tree.ledger.idle]).toEqual([0, false]);
    expect(tree.ledger.grant(ask, true)).toMatchObject({ ok: true, outputBound: 4000 });
    tree.ledger.write();
    expect(stored(tree)).toBe(1);
    expect(tree.accounts.get('session')).toMatchObject({ held_tokens: 5000 });
  });

  it('counts against a budget that is set before it is stored', () => {
    const tree = newTree();
    const node = tree.add();
    tree.ledger.grant(tree.ask(node), true);
    tree.accounts.limit('session', { tokens: 9000, nano: null });
    expect(tree.ledger.grant(tree.ask(node), true)).toEqual({ ok: true, outputBound: 3000 });
  });

  it('counts among those that are under way', () => {
    const tree = newTree();
    const node = tree.add();
    for (let n = 0; n < MAX_OPEN; n += 1) tree.ledger.grant(tree.ask(node), true);
    expect(tree.ledger.grant(tree.ask(node), true)).toMatchObject({ code: 'concurrency' });
    expect(stored(tree)).toBe(0);
  });

  it('is stored by whatever is told of its call next', () => {
    const tree = newTree();
    const node = tree.add();
    const [one, other] = [tree.ask(node), tree.ask(node)];
    tree.ledger.grant(one, true);
    tree.ledger.renew(one.call);
    expect(stored(tree)).toBe(1);
    tree.ledger.grant(other, true);
    tree.ledger.settle(other.call, ended({ input: 7 }));
    expect(tree.accounts.get('session')).toMatchObject({ held_tokens: 5000, input: 7, calls: 1 });
  });
  it('is kept, and counts, when the tables cannot be written, and is stored by the next write', () => {
    const tree = newTree();
    const node = tree.add();
    const asks = [tree.ask(node), tree.ask(node)];
    for (const ask of asks) tree.ledger.grant(ask, true);
    tree.sql.run(
      `CREATE TRIGGER full BEFORE INSERT ON calls WHEN NEW.call = '${asks[1]?.call}'
       BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    );
    expect(() => tree.ledger.write()).toThrow('the disk is full');
    expect([stored(tree), tree.ledger.idle]).toEqual([0, false]);
    expect(tree.accounts.get('session')).toMatchObject({ held_tokens: 0 });
    tree.sql.run('DROP TRIGGER full');
    tree.ledger.write();
    tree.ledger.write();
    expect(stored(tree)).toBe(2);
    expect(tree.accounts.get('session')).toMatchObject({ held_tokens: 10_000 });
  });
});
