import { newThreadId, RunnerId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../src/gateway/contract.ts';
import { MOST_AHEAD } from '../../../src/gateway/standing.ts';
import { MAX_OPEN } from '../../../src/session/ledger/ledger.ts';
import { ended, newTree, PRICE } from '../support/ledgers.ts';

const usd = (amount: number) => ({ tokens: null, usd: amount });

describe('the key of an agent', () => {
  it('[LED1] opens the ledger for its own node and runner only', () => {
    const tree = newTree();
    const [a, b] = [tree.add(), tree.add()];
    const key = tree.keys.get(a) ?? '';
    expect(tree.reserve(a).grant.ok).toBe(true);
    const bad = { ok: false, code: 'bad_key' };
    expect(tree.reserve(b, { key }).grant).toEqual(bad);
    expect(tree.reserve(a, { key: tree.keys.get(b) ?? '' }).grant).toEqual(bad);
    expect(tree.reserve(a, { runner: RunnerId.parse('rn_other') }).grant).toEqual(bad);
    const last = key.endsWith('0') ? '1' : '0';
    expect(tree.reserve(a, { key: key.slice(0, -1) + last }).grant).toEqual(bad);
    expect(tree.reserve(newThreadId(), { key }).grant).toEqual(bad);
  });

  it('[LED1] is dead as soon as its node is deleted, with everything below it', () => {
    const tree = newTree();
    const root = tree.add();
    const child = tree.add(root);
    tree.session.drop(root);
    for (const node of [root, child]) {
      expect(tree.reserve(node).grant).toEqual({ ok: false, code: 'bad_key' });
    }
  });

  it('[T5] [LED1] is refused without an exception, whatever stands in its place', () => {
    const tree = newTree();
    const node = tree.add();
    const key = tree.keys.get(node) ?? '';
    const strange = [
      '',
      'fpk_',
      `${key} `,
      `${key}\n`,
      key.toUpperCase(),
      key.replace('fpk_', "fpk_' OR 1=1 --"),
      `fpk_${'ses_'.repeat(10_000)}`,
      '\u0000'.repeat(48),
      `Bearer ${key}`,
      key.replace(/th_/, 'th__'),
    ];
    for (const wrong of strange) {
      expect(tree.reserve(node, { key: wrong }).grant, JSON.stringify(wrong)).toEqual({
        ok: false,
        code: 'bad_key',
      });
    }
    expect(tree.told(node)).toEqual([]);
  });

  it('[LED2] is stored as a hash, and in words only until its thread has it', () => {
    const tree = newTree();
    const node = tree.add();
    tree.session.nodes.update(node, { phase: 'ready', api_key: '' });
    const stored = JSON.stringify(tree.sql.all('SELECT * FROM nodes'));
    expect(stored).not.toContain(tree.keys.get(node));
    expect(tree.reserve(node).grant.ok).toBe(true);
  });

  it('[LED2] of an older version gets its hash when the session is opened', () => {
    const tree = newTree();
    const node = tree.add();
    const key = tree.keys.get(node) ?? '';
    tree.session.nodes.update(node, { phase: 'ready', api_key: key, key_hash: null });
    tree.session.nodes.hashKeys((text) => `hash of ${text}`);
    const [row] = tree.sql.all('SELECT api_key, key_hash FROM nodes');
    expect(row).toEqual({ api_key: '', key_hash: `hash of ${key}` });
  });
});

describe('a reservation', () => {
  it('[LED3] takes the worst case from every budget above the call', () => {
    const tree = newTree();
    const root = tree.add();
    const child = tree.add(root);
    tree.reserve(child, { inputBound: 1000, outputBound: 2000 });
    // Input may be written to a cache, which costs more than input.
    const nano = 1000 * PRICE.cacheWrite + 2000 * PRICE.output;
    for (const scope of [`own:${child}`, child, root, 'session']) {
      expect(tree.accounts.get(scope)).toMatchObject({ held_tokens: 3000, held_nano: nano });
    }
    expect(tree.accounts.get(`own:${root}`)).toMatchObject({ held_tokens: 0, held_nano: 0 });
  });

  it('[LED4] lowers the answer to what the tightest budget allows, never below 1,024', () => {
    const tree = newTree();
    const root = tree.add(null, { tokens: 10_000, usd: null });
    const child = tree.add(root, usd(0.00725));
    // 0.00725 dollars less 1,000 tokens of input at 1.25 dollars a million: 3,000 tokens of output.
    expect(tree.reserve(child).grant).toEqual({ ok: true, outputBound: 3000 });
    expect(tree.reserve(root).grant).toEqual({ ok: true, outputBound: 4000 });
    const { grant } = tree.reserve(root);
    expect(grant).toMatchObject({ ok: false, code: 'budget', scope: root });
  });

  it.each([
    ['tokens', { tokens: 1e9, usd: null }],
    ['money', usd(1e6)],
  ])(
    '[LED23] of what has no bound is refused under a budget in %s, and only there',
    (_, budget) => {
      const tree = newTree();
      const [bound, free] = [tree.add(null, budget), tree.add()];
      const more = { price: null, unknown: { what: 'the tool `web_search`', bounded: false } };
      expect(tree.reserve(bound, more).grant).toMatchObject({
        ok: false,
        code: 'no_price',
        message: expect.stringContaining('how much the tool `web_search` uses'),
      });
      expect(tree.reserve(free, more).grant.ok).toBe(true);
    },
  );

  it('[LED23] of what has a bound and no price is let through under a budget in tokens', () => {
    const tree = newTree();
    const [tokens, money] = [tree.add(null, { tokens: 1e9, usd: null }), tree.add(null, usd(1e6))];
    const more = { price: null, unknown: { what: '`service_tier`', bounded: true } };
    expect(tree.reserve(tokens, more).grant.ok).toBe(true);
    expect(tree.reserve(money, more).grant).toMatchObject({
      code: 'no_price',
      message: expect.stringContaining('what `service_tier` costs'),
    });
  });

  it('[LED4] of a call that asks for less than 1,024 tokens is let through if they are there', () => {
    const tree = newTree();
    const node = tree.add(null, { tokens: 1100, usd: null });
    expect(tree.reserve(node, { outputBound: 101 }).grant.ok).toBe(false);
    expect(tree.reserve(node, { outputBound: 100 }).grant).toEqual({ ok: true, outputBound: 100 });
  });

  it('[LED5] that is refused says whose budget it is, what is left of it and who can raise it', () => {
    const tree = newTree();
    const root = tree.add(null, usd(0.01));
    const child = tree.add(root);
    tree.reserve(child, { outputBound: 3000 });
    const { grant } = tree.reserve(child);
    const { name } = tree.node(root);
    const { id } = tree.session.meta;
    expect(grant).toEqual({
      ok: false,
      code: 'budget',
      scope: root,
      message: `Not enough is left of the budget of ${name} and the agents below it: $0.00 of $0.01 are used, $0.00725 are reserved by calls under way, and this call needs at least $0.003298. To go on, a person raises it (PUT /api/session/${id}/node/${root}/budget).`,
    });
    expect(tree.node(child).blocked).toBe(
      `the budget of ${name} and the agents below it is used up`,
    );
  });

  it('[LED5] under a budget in money needs a known price', () => {
    const tree = newTree();
    const node = tree.add(null, usd(1));
    const free = tree.add();
    expect(tree.reserve(node, { price: null }).grant).toMatchObject({ code: 'no_price' });
    expect(tree.reserve(free, { price: null }).grant.ok).toBe(true);
  });

  it('[LED6] above the number of calls that a session may have under way is refused', () => {
    const tree = newTree();
    const node = tree.add();
    const calls = Array.from({ length: MAX_OPEN }, () => tree.reserve(node).call);
    expect(tree.reserve(node).grant).toMatchObject({ code: 'concurrency', scope: 'session' });
    const [first] = calls;
    if (first) tree.ledger.settle(first, ended({ input: 1 }));
    expect(tree.reserve(node).grant.ok).toBe(true);
  });

  it('[LED6] counts no longer once it has ended, however many there were before', () => {
    const tree = newTree();
    const node = tree.add();
    for (let n = 0; n < 3 * MAX_OPEN; n += 1) {
      const { call, grant } = tree.reserve(node);
      expect(grant.ok).toBe(true);
      tree.ledger.settle(call, ended({ input: 1 }));
    }
    for (let n = 0; n < MAX_OPEN; n += 1) expect(tree.reserve(node).grant.ok).toBe(true);
    expect(tree.reserve(node).grant).toMatchObject({ code: 'concurrency' });
    expect(tree.reopened().reserve(tree.ask(node), true)).toMatchObject({ code: 'concurrency' });
  });

  it('[LED7] that is asked for again is the same one', () => {
    const tree = newTree();
    const node = tree.add();
    const { call } = tree.reserve(node);
    expect(tree.reserve(node, { call }).grant).toEqual({ ok: true, outputBound: 4000 });
    expect(tree.accounts.get('session')).toMatchObject({ held_tokens: 5000 });
    tree.ledger.settle(call, ended({ input: 10 }));
    expect(tree.reserve(node, { call }).grant).toMatchObject({ code: 'concurrency' });
  });

  it('[LED8] counts for a raised budget at once', () => {
    const tree = newTree();
    const node = tree.add(null, usd(0.001));
    expect(tree.reserve(node).grant.ok).toBe(false);
    tree.accounts.limit(node, { tokens: null, nano: 1e9 });
    expect(tree.reserve(node).grant.ok).toBe(true);
    expect(tree.node(node).blocked).toBeNull();
  });

  it('[LED33] is known beforehand where no budget stands above, until something changes', () => {
    const tree = newTree();
    const root = tree.add();
    const child = tree.add(root);
    expect(tree.reserve(child).grant).toMatchObject({ standing: true });

    const revokes = (change: () => unknown): boolean => {
      const before = tree.revoked.times;
      change();
      return tree.revoked.times > before;
    };
    expect(revokes(() => tree.reserve(child))).toBe(false);
    expect(revokes(() => tree.accounts.limit(root, { tokens: 50_000, nano: null }))).toBe(true);
    expect(tree.reserve(child).grant).toEqual({ ok: true, outputBound: 4000 });
    expect(revokes(() => tree.accounts.limit(root, { tokens: null, nano: null }))).toBe(true);
    expect(tree.reserve(child).grant).toMatchObject({ standing: true });

    const { lease } = tree.ledger;
    expect(revokes(() => lease.next())).toBe(false);
    expect(revokes(() => lease.take(lease.current.n, { tokens: 90_000, nano: null }))).toBe(true);
    expect(tree.reserve(child).grant).toEqual({ ok: true, outputBound: 4000 });
    expect(revokes(() => lease.drop())).toBe(true);

    const other = tree.add();
    expect(revokes(() => tree.session.patchNode(child, { parentId: other }))).toBe(true);
    expect(revokes(() => tree.session.drop(child))).toBe(true);
    expect(tree.reserve(child).grant).toEqual({ ok: false, code: 'bad_key' });
  });

  it('[LED33] [LED6] is not known beforehand when nearly as many are under way as may be', () => {
    const tree = newTree();
    const node = tree.add();
    const most = MAX_OPEN - 2 * MOST_AHEAD;
    for (let i = 1; i < most; i += 1)
      expect(tree.reserve(node).grant).toMatchObject({ standing: true });
    const before = tree.revoked.times;
    expect(tree.reserve(node).grant).toEqual({ ok: true, outputBound: 4000 });
    expect(tree.revoked.times).toBeGreaterThan(before);
  });

  it('[LED9] holds for the agent alone where the budget is its own', () => {
    const tree = newTree();
    const root = tree.add();
    const child = tree.add(root);
    tree.accounts.limit(`own:${root}`, { tokens: 3000, nano: null });
    expect(tree.reserve(child).grant).toMatchObject({ ok: true, outputBound: 4000 });
    expect(tree.reserve(root).grant).toEqual({ ok: true, outputBound: 2000 });
    expect(tree.reserve(root).grant).toMatchObject({ code: 'budget', scope: root });
  });
});

describe('a settlement', () => {
  it('[LED10] gives the reservation back and counts what was used, in node, subtree and session', () => {
    const tree = newTree();
    const root = tree.add();
    const child = tree.add(root);
    const { call } = tree.reserve(child);
    const used = { input: 100, output: 50, cacheRead: 1000, cacheWrite: 10, reasoning: 20 };
    tree.ledger.settle(call, ended(used));
    const costUsd = (100 * 1000 + 50 * 2000 + 1000 * 100 + 10 * 1250) / 1e9;
    const totals = { tokens: used, costUsd, calls: 1, estimated: 0, unpriced: 0 };
    expect(tree.node(child)).toMatchObject({ tokens: 1160, usage: totals, subtree: totals });
    expect(tree.node(root)).toMatchObject({ tokens: 0, subtree: totals });
    expect(tree.node(root).usage.calls).toBe(0);
    expect(tree.session.resource().usage).toEqual(totals);
    expect(tree.accounts.get('session')).toMatchObject({ held_tokens: 0, held_nano: 0 });
  });

  it('[LED11] happens once, however often it is told', () => {
    const tree = newTree();
    const node = tree.add();
    const { call } = tree.reserve(node);
    for (const input of [7, 7, 9]) tree.ledger.settle(call, ended({ input }));
    tree.ledger.settle(call, ended(null));
    tree.reopened().settle(call, ended({ input: 8 }));
    expect(tree.node(node).usage).toMatchObject({ tokens: { input: 7 }, calls: 1, estimated: 0 });
    expect(tree.told(node)).toHaveLength(1);
  });

  it('[LED12] without a count is the worst case, until a real count takes its place', () => {
    const tree = newTree();
    const node = tree.add();
    const { call } = tree.reserve(node);
    tree.ledger.settle(call, ended(null));
    expect(tree.node(node)).toMatchObject({
      tokens: 5000,
      usage: { tokens: { input: 1000, output: 4000 }, costUsd: 0.00925, estimated: 1, calls: 1 },
    });
    tree.ledger.settle(call, ended({ input: 10, output: 5 }));
    expect(tree.node(node)).toMatchObject({
      tokens: 15,
      usage: { tokens: { input: 10, output: 5 }, costUsd: 0.00002, estimated: 0, calls: 1 },
    });
    expect(tree.told(node)).toMatchObject([
      { type: 'call', call, estimated: true },
      { type: 'call', call, estimated: false, costUsd: 0.00002 },
    ]);
  });

  it('[LED12] of a count whose output is an upper bound is an estimate too, which a real count replaces', () => {
    const tree = newTree();
    const node = tree.add();
    const { call } = tree.reserve(node);
    tree.ledger.settle(call, { ...ended({ input: 10, output: 4000 }), estimated: true });
    tree.ledger.settle(call, ended(null));
    expect(tree.node(node)).toMatchObject({ tokens: 4010, usage: { estimated: 1 } });
    tree.ledger.settle(call, ended({ input: 10, output: 5 }));
    expect(tree.node(node)).toMatchObject({ tokens: 15, usage: { estimated: 0, calls: 1 } });
    expect(tree.session.resource().usage).toMatchObject({ costUsd: 0.00002 });
  });

  it('[LED12] of a count that no call can have is the worst case', () => {
    const tree = newTree();
    const node = tree.add();
    for (const input of [Number.MAX_SAFE_INTEGER, -1, 0.5, Number.NaN]) {
      tree.ledger.settle(tree.reserve(node).call, ended({ input }));
    }
    expect(tree.node(node).usage).toMatchObject({ tokens: { input: 4000 }, estimated: 4 });
  });

  it('[LED13] of a call that nobody renews is its worst case, also after an eviction', () => {
    const tree = newTree();
    const node = tree.add();
    const [lost, kept] = [tree.reserve(node).call, tree.reserve(node).call];
    tree.clock.now += LEASE_MS - 1;
    tree.ledger.renew(kept);
    const later = tree.reopened();
    later.expire();
    expect(tree.node(node).usage.calls).toBe(0);
    tree.clock.now += 1;
    expect(later.due()).toBe(tree.clock.now);
    later.expire();
    later.expire();
    expect(tree.node(node).usage).toMatchObject({ calls: 1, estimated: 1 });
    expect(tree.told(node)).toMatchObject([
      { call: lost, outcome: 'cut', status: null, estimated: true, durationMs: LEASE_MS },
    ]);
    expect(tree.accounts.get('session')).toMatchObject({ held_tokens: 5000 });
  });

  it('[LED14] of a deleted agent still counts for those above it', () => {
    const tree = newTree();
    const root = tree.add();
    const child = tree.add(root);
    const { call } = tree.reserve(child);
    tree.session.drop(child);
    tree.ledger.settle(call, ended({ input: 10 }));
    expect(tree.node(root).subtree).toMatchObject({ tokens: { input: 10 }, calls: 1 });
  });

  it('[LED10] of a model without a price counts tokens, and the call as unpriced', () => {
    const tree = newTree();
    const node = tree.add();
    tree.ledger.settle(tree.reserve(node, { price: null }).call, ended({ input: 10 }));
    expect(tree.node(node).usage).toMatchObject({ costUsd: 0, unpriced: 1 });
    expect(tree.told(node)).toMatchObject([{ costUsd: null }]);
  });

  it('is forgotten an hour after it: the table does not grow for ever', () => {
    const tree = newTree();
    const node = tree.add();
    tree.ledger.settle(tree.reserve(node).call, ended({ input: 10 }));
    tree.clock.now += 3_600_000;
    tree.ledger.expire();
    expect(tree.sql.all('SELECT * FROM calls')).toEqual([]);
    expect(tree.ledger.due()).toBeNull();
  });
});

describe('refusals', () => {
  it('[LED15] that repeat are told at once, then with their count, less and less often', () => {
    const tree = newTree();
    const node = tree.add(null, usd(0));
    const counts = () => tree.told(node).map((body) => body.type === 'refused' && body.count);
    for (let call = 0; call < 100; call += 1) {
      expect(tree.reserve(node).grant).toMatchObject({ code: 'budget' });
    }
    expect(counts()).toEqual([1]);
    tree.clock.now += 5000;
    tree.ledger.expire();
    expect(counts()).toEqual([1, 99]);
    tree.reserve(node);
    tree.clock.now += 5000;
    tree.ledger.expire();
    expect(counts()).toEqual([1, 99]);
    tree.clock.now += 5000;
    tree.ledger.expire();
    expect(counts()).toEqual([1, 99, 1]);
    tree.clock.now += 300_000;
    tree.ledger.expire();
    expect(tree.sql.all('SELECT * FROM repeats')).toEqual([]);
  });

  it('[LED15] of another kind are told on their own, and those of a wrong key not at all', () => {
    const tree = newTree();
    const node = tree.add();
    const refusal = { refused: 'no_provider' as const, message: 'no key' };
    tree.ledger.refused(tree.ask(node), refusal);
    tree.ledger.refused(tree.ask(node), { ...refusal, refused: 'too_large' });
    tree.ledger.refused(tree.ask(node, { key: 'fpk_no' }), refusal);
    expect(tree.told(node)).toMatchObject([
      { type: 'refused', code: 'no_provider', message: 'no key', count: 1 },
      { type: 'refused', code: 'too_large' },
    ]);
  });
});
