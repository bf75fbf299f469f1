import {
  AttentionChange,
  NO_BUDGET,
  NO_USAGE,
  newSessionId,
  newThreadId,
  type Node,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/storage/schema.ts';
import type { AskedNote, AskedQuestion } from '../../src/thread/asked.ts';
import { nodeHashing } from '../../src/thread/node-hashing.ts';
import { Claims } from '../../src/user/claims.ts';
import { Rules } from '../../src/user/rules.ts';
import { USER_MIGRATIONS } from '../../src/user/schema.ts';
import { Waiting } from '../../src/user/waiting.ts';
import { nodeSql } from './support/node-sql.ts';

const session = newSessionId();
const thread = newThreadId();
const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-01T01:00:00.000Z';

function opened() {
  const sql = nodeSql();
  migrate(sql, USER_MIGRATIONS);
  return { sql, waiting: new Waiting(sql, nodeHashing.sha256), rules: new Rules(sql) };
}

const nodeOf = (more: Partial<Node> = {}): Node => ({
  id: thread,
  sessionId: session,
  parentId: null,
  name: 'builder',
  slug: 'builder-1',
  agentType: 'custom',
  model: '',
  status: 'running',
  reason: null,
  config: {},
  sortOrder: 0,
  tokens: 0,
  usage: NO_USAGE,
  subtree: NO_USAGE,
  budget: NO_BUDGET,
  blocked: null,
  contextPct: null,
  queue: null,
  done: 0,
  total: 1,
  createdAt: AT,
  updatedAt: AT,
  ...more,
});

const question = (seq: number, more: Partial<AskedQuestion> = {}): AskedQuestion => ({
  id: `d${seq}`,
  seq,
  prompt: 'Run this command?\nmake',
  options: ['allow', 'deny'],
  hash: 'h',
  permission: true,
  equal: 'e',
  at: AT,
  ...more,
});

const noteOf = (seq: number, open: AskedQuestion[], more: Partial<AskedNote> = {}): AskedNote => ({
  thread,
  session,
  name: 'builder',
  agentType: 'shelley',
  repository: 'https://example.com/a.git',
  seq,
  open,
  answered: [],
  ...more,
});

const failedBy = (reason: string, seq = 3) => ({
  status: 'error' as const,
  reason,
  failure: { seq, reason },
});

const read = (waiting: Waiting, after = 0) =>
  waiting.read(after, 2000).map(({ json }) => AttentionChange.parse(JSON.parse(json)));

const CONFLICT = {
  into: 'parent' as const,
  target: 'lead',
  ours: '2'.repeat(40),
  files: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  handed: false,
  seq: 7,
};
const LIMIT = { reason: `lab limit until ${LATER}`, until: LATER, seq: 4 };

describe('[ATT1] what waits for a person', () => {
  it('is what an agent asks, until it asks no more', () => {
    const { waiting } = opened();
    waiting.attend(session, 'work', [nodeOf()], AT);
    waiting.asked(noteOf(5, [question(4), question(5, { permission: false, hash: null })]));
    expect(waiting.list()).toMatchObject([
      { kind: 'decision', choices: ['allow', 'deny'], hash: null },
      { kind: 'permission', sessionName: 'work', name: 'builder', hash: 'h' },
    ]);
    const [decision, permission] = waiting.list();
    expect(decision).not.toHaveProperty('scopes');
    expect(permission?.scopes).toEqual(['agent', 'session', 'repository']);
    waiting.asked(noteOf(7, [question(4)]));
    expect(waiting.list()).toHaveLength(1);
    waiting.asked(noteOf(6, []));
    expect(waiting.list(), 'an older word changes nothing').toHaveLength(1);
  });

  it.each([
    [failedBy('exit 1'), 'failure', ['restart', 'message', 'leave it']],
    [failedBy('gate failed: test'), 'gate', ['restart', 'message', 'leave it']],
    [
      { ...failedBy('gate failed: test'), reason: 'paused' },
      'gate',
      ['restart', 'message', 'leave it'],
    ],
    [{ blocked: 'the budget is used up' }, 'budget', ['raise', 'stop']],
    [
      { conflict: CONFLICT },
      'conflict',
      ['hand to the agent', 'hand to its parent', 'hand to a new agent', 'merge again', 'leave it'],
    ],
    [
      { conflict: { ...CONFLICT, into: 'session' } },
      'conflict',
      ['hand to the agent', 'hand to a new agent', 'merge again', 'leave it'],
    ],
    [{ limit: LIMIT }, 'limit', ['resume now', 'stop']],
    [{ ...failedBy('limit'), limit: LIMIT }, 'limit', ['resume now', 'stop']],
  ] as const)('is a node that cannot go on: %o', (more, kind, choices) => {
    const { waiting } = opened();
    waiting.attend(session, 'work', [nodeOf(more)], AT);
    const { head } = { head: waiting.head() };
    waiting.attend(session, 'work', [nodeOf(more)], AT);
    expect(waiting.head(), 'told twice it is the same').toBe(head);
    expect(waiting.list()).toMatchObject([{ kind, choices }]);
    waiting.attend(session, 'work', [nodeOf()], AT);
    expect(waiting.list()).toEqual([]);
  });

  it('goes with its agent and its session; a question that is newer than the list of agents stays', () => {
    const { waiting } = opened();
    waiting.asked(noteOf(5, [question(4, { at: LATER })]));
    waiting.attend(session, 'work', [], AT);
    expect(waiting.list()).toMatchObject([{ sessionName: 'work' }]);
    waiting.attend(session, 'work', [], '2026-01-01T02:00:00.000Z');
    expect(waiting.list()).toEqual([]);
    waiting.asked(noteOf(9, [question(8)]));
    waiting.forget(session);
    expect(waiting.list()).toEqual([]);
  });

  it('[ATT3] that was answered comes back when it fails again, not when the node changes otherwise', () => {
    const { waiting } = opened();
    const failed = nodeOf(failedBy('exit 1'));
    waiting.attend(session, 'work', [failed], AT);
    const [item] = waiting.list();
    waiting.answered(item?.id ?? '', 'restart');
    const renamed = { ...failed, name: 'other', updatedAt: LATER };
    for (const same of [failed, renamed]) {
      waiting.attend(session, 'work', [same], LATER);
      expect(waiting.list()).toEqual([]);
    }
    waiting.attend(session, 'work', [{ ...renamed, ...failedBy('exit 1', 9) }], LATER);
    expect(waiting.list()).toMatchObject([{ id: item?.id }]);
  });

  it.each([
    ['failure', failedBy('exit 1')],
    ['budget', { blocked: 'the budget is used up', blockedAt: AT }],
  ] as const)('[ATT1] a %s keeps its time and place when its agent is renamed', (_kind, more) => {
    const { waiting } = opened();
    waiting.attend(session, 'work', [nodeOf(more)], AT);
    const [item] = waiting.list();
    waiting.attend(session, 'work', [nodeOf({ ...more, updatedAt: LATER })], LATER);
    expect(read(waiting), 'a change of something else is not told').toHaveLength(1);
    const head = waiting.head();
    waiting.attend(session, 'work', [nodeOf({ ...more, name: 'new', updatedAt: LATER })], LATER);
    expect(waiting.list()).toEqual([{ ...item, name: 'new' }]);
    expect(read(waiting, head)).toHaveLength(1);
  });

  it('[ATT1] a question has the newest name of its agent and its session', () => {
    const { waiting } = opened();
    waiting.attend(session, 'work', [nodeOf()], AT);
    waiting.asked(noteOf(5, [question(4)]));
    const [item] = waiting.list();
    waiting.attend(session, 'play', [nodeOf({ name: 'new' })], LATER);
    const renamed = [{ ...item, name: 'new', sessionName: 'play' }];
    expect(waiting.list()).toEqual(renamed);
    waiting.asked(noteOf(6, [question(4)]));
    expect(waiting.list(), 'the thread may not know it yet').toEqual(renamed);
  });

  it('[ATT3] a budget that is used up again waits again', () => {
    const { waiting } = opened();
    const blocked = { blocked: 'the budget is used up' };
    waiting.attend(session, 'work', [nodeOf({ ...blocked, blockedAt: AT })], AT);
    waiting.answered(waiting.list()[0]?.id ?? '', 'raise');
    waiting.attend(session, 'work', [nodeOf({ ...blocked, blockedAt: LATER })], LATER);
    expect(waiting.list()).toHaveLength(1);
  });
});

describe('[ATT7] a failure that is left', () => {
  const failed = nodeOf(failedBy('exit 1'));

  function left() {
    const { waiting } = opened();
    waiting.attend(session, 'work', [failed], AT);
    waiting.answered(waiting.list()[0]?.id ?? '', 'leave it');
    return waiting;
  }

  it('waits no more, however much else waited since and whatever its agent is called', () => {
    const waiting = left();
    const other = newThreadId();
    for (let seq = 2; seq < 1010; seq += 1) {
      waiting.asked(noteOf(seq, [question(seq)], { thread: other }));
    }
    waiting.asked(noteOf(2000, [], { thread: other }));
    waiting.attend(session, 'work', [{ ...failed, name: 'new', updatedAt: LATER }], LATER);
    expect(waiting.list()).toEqual([]);
  });

  it('waits again when the agent fails again', () => {
    const waiting = left();
    waiting.attend(session, 'work', [nodeOf()], LATER);
    waiting.attend(session, 'work', [nodeOf(failedBy('exit 1', 9))], LATER);
    expect(waiting.list()).toHaveLength(1);
  });
});

describe('[ATT6] a conflict and a limit', () => {
  const told = (waiting: Waiting, more: Partial<Node>, updatedAt = AT) =>
    waiting.attend(session, 'work', [nodeOf({ ...more, updatedAt })], updatedAt);

  it('wait beside what else a node waits for', () => {
    const { waiting } = opened();
    told(waiting, { conflict: CONFLICT, limit: LIMIT, blocked: 'no budget' });
    expect(
      waiting
        .list()
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['budget', 'conflict', 'limit']);
    const why = waiting.list().find(({ kind }) => kind === 'conflict')?.why;
    expect(why).toBe('its work conflicts with lead: a, b, c, d, e and 2 more');
  });

  it('are the same while the node changes otherwise, and new when they come again', () => {
    const { waiting } = opened();
    told(waiting, { conflict: CONFLICT, limit: LIMIT });
    const head = waiting.head();
    told(waiting, { conflict: CONFLICT, limit: LIMIT, contextPct: 0.5 }, LATER);
    expect(waiting.head()).toBe(head);
    for (const { id, choices } of waiting.list()) waiting.answered(id, choices[0] ?? '');
    told(waiting, { conflict: CONFLICT, limit: LIMIT }, LATER);
    expect(waiting.list(), 'a list from before the answer').toEqual([]);
    told(waiting, { conflict: { ...CONFLICT, seq: 9 }, limit: { ...LIMIT, seq: 6 } }, LATER);
    expect(waiting.list()).toHaveLength(2);
  });

  it('are over when an agent has the conflict as a task and the pause ended', () => {
    const { waiting } = opened();
    told(waiting, { conflict: CONFLICT, limit: LIMIT });
    told(waiting, { conflict: { ...CONFLICT, handed: true } }, LATER);
    expect(waiting.list()).toEqual([]);
  });
});

describe('[ATT2] its feed', () => {
  it('tells each change after a seq, and what was chosen', () => {
    const { waiting } = opened();
    waiting.asked(noteOf(5, [question(4)]));
    const [first] = read(waiting);
    if (first?.type !== 'item') throw new Error('no item');
    waiting.takeTouched();
    waiting.answered(first.item.id, 'allow');
    const gone = { type: 'gone', id: first.item.id, choice: 'allow' };
    expect(waiting.takeTouched().map(({ json }) => JSON.parse(json) as unknown)).toMatchObject([
      gone,
    ]);
    expect(read(waiting, first.seq)).toMatchObject([gone]);
    expect(read(waiting)).toMatchObject([gone]);
    expect(read(waiting, waiting.head())).toEqual([]);
  });

  it('remembers a bounded number of what is gone: whoever knows less begins anew', () => {
    const { waiting } = opened();
    waiting.asked(noteOf(1, [question(1)], { thread: newThreadId() }));
    for (let seq = 2; seq < 1010; seq += 1) {
      waiting.asked(noteOf(seq, [question(seq)]));
    }
    const all = read(waiting, 3);
    expect(all.length).toBeLessThan(100);
    expect(all[0]?.type).toBe('reset');
    const open = all.filter(({ type }) => type === 'item');
    expect(open.length).toBe(waiting.list().length);
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => a - b));
  });
});

describe('[ATT4] a rule', () => {
  const OTHER = { session: newSessionId(), thread: newThreadId(), repository: 'https://b.invalid' };

  function ruled(scope: 'session' | 'agent' | 'repository') {
    const { sql, waiting, rules } = opened();
    waiting.asked(noteOf(5, [question(4)]));
    const row = waiting.find(waiting.list()[0]?.id ?? '');
    if (row === null) throw new Error('no row');
    rules.check(scope, row);
    rules.add('r1', scope, row, 'allow', AT);
    return { sql, waiting, rules, row };
  }

  it.each([
    ['agent', { thread: OTHER.thread }],
    ['session', { thread: OTHER.thread, session: OTHER.session }],
    ['repository', { repository: OTHER.repository }],
  ] as const)('of the scope %s answers equal questions within it only', (scope, outside) => {
    const { rules } = ruled(scope);
    const answers = (note: Partial<AskedNote>, of: Partial<AskedQuestion> = {}) =>
      rules.answers(noteOf(9, [question(9, of)], note));
    expect(answers({})).toEqual([{ id: 'd9', choice: 'allow', rule: 'r1' }]);
    expect(answers(outside)).toEqual([]);
    expect(answers({ agentType: 'codex' })).toEqual([]);
    expect(answers({}, { equal: 'other' })).toEqual([]);
    expect(answers({}, { options: ['yes'] })).toEqual([]);
    expect(answers({}, { permission: false })).toEqual([]);
  });

  it('[ATT5] is listed, replaced by a newer answer, and removed', () => {
    const { rules, row } = ruled('agent');
    rules.add('r2', 'agent', row, 'deny', LATER);
    expect(rules.list()).toEqual([
      {
        id: 'r2',
        scope: 'agent',
        of: thread,
        agentType: 'shelley',
        prompt: row.why,
        hash: 'h',
        choice: 'deny',
        at: LATER,
      },
    ]);
    rules.remove('r2');
    expect(rules.list()).toEqual([]);
    expect(() => rules.remove('r2')).toThrow('does not exist');
  });

  it('[ATT5] goes with its session, unless it is of a repository', () => {
    for (const [scope, left] of [
      ['agent', 0],
      ['session', 0],
      ['repository', 1],
    ] as const) {
      const { rules } = ruled(scope);
      rules.forget(session);
      expect(rules.list()).toHaveLength(left);
    }
  });

  it('[ATT5] is for permissions, and of a repository where there is one', () => {
    const { waiting, rules } = opened();
    const open = [question(4, { permission: false }), question(5)];
    waiting.asked(noteOf(5, open, { repository: null }));
    for (const { id, kind, scopes } of waiting.list()) {
      expect(scopes).toEqual(kind === 'permission' ? ['agent', 'session'] : undefined);
      const row = waiting.find(id);
      if (row === null) throw new Error('no row');
      expect(() => rules.check('repository', row)).toThrow(
        kind === 'permission' ? 'no repository' : 'only a permission',
      );
    }
  });
});

it('[ATT3] what is being answered is refused to others for a while', () => {
  let now = 0;
  const claims = new Claims(() => now);
  claims.take('a', 'yes');
  expect(() => claims.take('a', 'no')).toThrow('being answered already: yes');
  claims.give('a');
  claims.take('a', 'no');
  now = 30_001;
  claims.take('a', 'yes');
});
