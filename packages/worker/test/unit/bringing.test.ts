import { newJobId, type Touched } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { BASE, hash, newSession, work } from './support/bringing-bench.ts';

describe('agents that change the same lines', () => {
  it('[MERGE11] are told of each other once for each file, and the tree shows it until it is over', () => {
    const { session, bringing, add, told } = newSession();
    const root = add('root');
    const [a, b, far] = [add('a', root), add('b', root), add('far')];
    const below = add('below', far);
    bringing.noteTouched(a, work('1', [[5, 1]]));
    bringing.noteTouched(b, work('2', [[5, 2]]));
    bringing.noteTouched(below, work('3', [[5, 2]]));
    expect(told()).toEqual([
      [b, { type: 'overlap', node: a, name: 'a', files: ['text'] }],
      [a, { type: 'overlap', node: b, name: 'b', files: ['text'] }],
    ]);
    expect(session.node(a).overlaps).toEqual([{ node: b, files: ['text'] }]);
    expect(session.node(below).overlaps).toBeUndefined();
    bringing.noteTouched(b, work('2', [[5, 3]]));
    expect(told()).toHaveLength(2);
    bringing.noteTouched(b, work('2', [[8, 1]]));
    expect(session.node(a).overlaps).toBeUndefined();
    bringing.noteTouched(b, work('2', [[4, 1]]));
    expect(told()).toHaveLength(4);
    session.drop(b);
    bringing.forget();
    expect(session.node(a).overlaps).toBeUndefined();
  });

  it.each<[string, Touched, boolean]>([
    ['lines that touch', work('2', [[6, 1]]), true],
    ['a line between', work('2', [[8, 1]]), false],
    ['an insertion right after', work('2', [[5, 0]]), true],
    ['an insertion further on', work('2', [[9, 0]]), false],
    ['the same result', work('1', [[5, 1]]), false],
    [
      'another beginning that has no lines in common',
      {
        ...work('2', []),
        files: [{ path: 'text', from: hash('9'), to: hash('2'), ranges: [[5, 1]] }],
      },
      true,
    ],
    [
      'a removal',
      { ...work('2', []), files: [{ path: 'text', from: BASE, to: null, ranges: [[1, 9]] }] },
      true,
    ],
    [
      'another file',
      { ...work('2', []), files: [{ path: 'more', from: BASE, to: hash('2'), ranges: [[5, 1]] }] },
      false,
    ],
  ])('[MERGE11] beside a change of line 5: %s', (_, other, overlaps) => {
    const { session, bringing, add } = newSession();
    const root = add('root');
    const [a, b] = [add('a', root), add('b', root)];
    bringing.noteTouched(a, work('1', [[5, 1]]));
    bringing.noteTouched(b, other);
    expect(session.node(a).overlaps !== undefined).toBe(overlaps);
  });

  it('[MERGE11] count no more when one of them has moved elsewhere and goes on', () => {
    const { session, bringing, add } = newSession();
    const root = add('root');
    const [a, b] = [add('a', root), add('b', root)];
    bringing.noteTouched(a, work('1', [[5, 1]]));
    bringing.noteTouched(b, work('2', [[5, 1]]));
    session.nodes.update(b, { parent_id: add('other') });
    bringing.noteTouched(b, work('3', [[5, 1]]));
    expect(session.node(a).overlaps).toBeUndefined();
    expect(session.node(b).overlaps).toBeUndefined();
  });

  it('[MERGE11] count no more when the parent has the work, until there is new work', () => {
    const { session, bringing, add } = newSession();
    const root = add('root');
    const [a, b] = [add('a', root), add('b', root)];
    bringing.noteTouched(a, work('1', [[5, 1]]));
    bringing.noteTouched(b, work('2', [[5, 1]]));
    const merged = {
      type: 'merged' as const,
      job: newJobId(),
      node: a,
      name: 'a',
      into: 'parent' as const,
      target: 'root',
      from: hash('1'),
      commit: hash('1'),
      before: BASE,
      how: 'ff' as const,
      taken: true,
    };
    bringing.noteMerge(a, merged);
    expect(session.node(b).overlaps).toBeUndefined();
    // What the parent has now is compared in its place.
    bringing.noteTouched(root, work('1', [[5, 1]]));
    expect(session.node(b).overlaps).toEqual([{ node: root, files: ['text'] }]);
    bringing.noteTouched(a, work('1', [[5, 1]], { dirty: true }));
    expect(session.node(b).overlaps).toHaveLength(2);
  });
});

it('[DIFF7] a node shows where its work stands, and a new report changes it', () => {
  const { session, bringing, add } = newSession();
  const node = add('node');
  expect(session.node(node).work).toBeUndefined();
  session.takeTouched();
  bringing.noteTouched(node, work('1', [[5, 1]]));
  expect(session.node(node).work).toEqual({ head: hash('1'), dirty: false, files: 1 });
  expect(session.takeTouched().some(({ json }) => json.includes('"work":'))).toBe(true);
  bringing.noteTouched(node, work('2', [[5, 1]], { dirty: true }));
  expect(session.node(node).work).toEqual({ head: hash('2'), dirty: true, files: 1 });
});

describe('where work is merged', () => {
  it('[MERGE12] is the parent, or a branch of the session whose name is kept', () => {
    const { session, bringing, add } = newSession();
    const root = add('root');
    const child = add('child', root);
    expect(bringing.target(child, 'parent')).toMatchObject({
      name: 'child',
      target: { into: 'parent', thread: root, name: 'root', atWork: false },
    });
    expect(() => bringing.target(root, 'parent')).toThrow('into the branch of the session');
    const { target } = bringing.target(root, 'session');
    expect(bringing.target(root, undefined).target).toEqual(target);
    expect(bringing.target(child, undefined)).toEqual(bringing.target(child, 'parent'));
    session.rename('other');
    expect(target).toEqual({ into: 'session', branch: bringing.branch() });
    expect(bringing.branch()).toMatch(/^filepath\/my-work-[a-z0-9]{8}$/);
    const none = newSession(null);
    const only = none.add('only');
    expect(() => none.bringing.target(only, 'session')).toThrow('no repository');
  });

  it('[MERGE13] a conflict is shown, becomes a task once it is asked for, and goes with the merge', () => {
    const { session, bringing, add } = newSession();
    const child = add('child', add('root'));
    const about = {
      job: newJobId(),
      node: child,
      name: 'child',
      into: 'parent' as const,
      target: 'root',
      from: hash('1'),
    };
    expect(() => bringing.handing.resolve(child, 'k', {})).toThrow('child has no conflict');
    const conflict = {
      type: 'conflict' as const,
      ...about,
      ours: hash('2'),
      files: [{ path: 'text', hunks: [] }],
      truncated: false,
      hand: false,
    };
    bringing.noteMerge(child, conflict);
    expect(session.node(child).conflict).toMatchObject({ target: 'root', handed: false });
    expect(bringing.waiting()).toEqual([]);
    bringing.handing.resolve(child, 'k', {});
    bringing.handing.resolve(child, 'k', {});
    const [task, ...more] = bringing.waiting();
    expect(more).toEqual([]);
    expect(task).toMatchObject({ thread: child, body: null });
    expect(task?.words).toContain(`git merge ${hash('2')}`);
    expect(task?.words).toContain('- text');
    expect(session.node(child).conflict?.handed).toBe(true);
    bringing.noteMerge(child, conflict);
    expect(session.node(child).conflict?.handed, 'told again').toBe(true);
    bringing.handing.resolve(child, 'another answer', { once: true });
    expect(bringing.waiting()).toHaveLength(1);
    const merged = { commit: hash('3'), before: hash('2'), how: 'merge' as const, taken: false };
    bringing.noteMerge(child, { type: 'merged', ...about, ...merged });
    expect(session.node(child).conflict).toBeUndefined();
    expect(bringing.waiting().at(-1)?.words).toContain(`run: git merge ${hash('3')}`);
  });

  it('[MERGE22] a merge into a parent that the node has no more is told to that one alone', () => {
    const { session, bringing, add, told } = newSession();
    const [old, next] = [add('old'), add('next')];
    const child = add('child', old);
    bringing.noteTouched(child, work('1', [[5, 1]]));
    const about = {
      node: child,
      name: 'child',
      into: 'parent' as const,
      target: 'old',
      parent: old,
      from: hash('1'),
    };
    const merged = {
      ...about,
      type: 'merged' as const,
      job: newJobId(),
      commit: hash('3'),
      before: hash('2'),
      how: 'merge' as const,
      taken: false,
    };
    session.patchNode(child, { parentId: next });
    bringing.moved(child);
    bringing.noteMerge(child, merged);
    expect(told()).toMatchObject([[old, { type: 'merged', job: merged.job }]]);
    // The new parent has none of it.
    bringing.noteTouched(next, work('2', [[5, 1]]));
    expect(session.node(next).overlaps).toEqual([{ node: child, files: ['text'] }]);
    const ours = { ours: hash('2'), files: [], truncated: false, hand: true };
    bringing.noteMerge(child, { type: 'conflict', job: newJobId(), ...about, ...ours });
    expect(session.node(child).conflict).toBeUndefined();
  });

  const inConflict = (into: 'parent' | 'session') => {
    const made = newSession();
    const root = made.add('root');
    const child = made.add('child', root);
    made.bringing.noteMerge(child, {
      type: 'conflict',
      job: newJobId(),
      node: child,
      name: 'child',
      into,
      target: into === 'parent' ? 'root' : 'filepath/my-work-12345678',
      from: hash('1'),
      ours: hash('2'),
      files: [{ path: 'text', hunks: [] }],
      truncated: false,
      hand: false,
    });
    return { ...made, root, child };
  };

  it('[MERGE22] a conflict with the parent, and what it had of the work, ends when the node moves', () => {
    const { session, bringing, child, add } = inConflict('parent');
    const next = add('next');
    session.patchNode(child, { parentId: next });
    bringing.moved(child);
    expect(session.node(child).conflict).toBeUndefined();
    const branch = inConflict('session');
    branch.session.patchNode(branch.child, { parentId: null });
    branch.bringing.moved(branch.child);
    expect(branch.session.node(branch.child).conflict).toMatchObject({ into: 'session' });
  });

  it('[MERGE19] a conflict is given to the parent with both commits', () => {
    const { session, bringing, root, child } = inConflict('parent');
    expect(bringing.handing.resolve(child, 'k', { by: 'parent' })).toBe(root);
    expect(bringing.waiting()).toMatchObject([{ thread: root, body: null }]);
    expect(bringing.waiting()[0]?.words).toContain(
      `git merge ${hash('2')}\ngit merge ${hash('1')}\n`,
    );
    expect(session.node(child).conflict).toMatchObject({ handed: true, holder: root });
    const branch = inConflict('session');
    expect(() => branch.bringing.handing.resolve(branch.child, 'k', { by: 'parent' })).toThrow(
      "is no agent's",
    );
    expect(branch.session.node(branch.child).conflict?.handed).toBe(false);
  });

  it('[MERGE19] a conflict is given to one new agent, below whoever is to have the result', () => {
    const { session, bringing, root, child } = inConflict('parent');
    session.halt(root);
    session.halted(root, 5);
    const made = bringing.handing.resolve(child, 'k', { by: 'new' });
    expect(session.node(made)).toMatchObject({ name: 'merge-child', parentId: root });
    const task = session.nodes.find(made)?.task ?? '';
    expect(task).toContain(`git merge ${hash('2')}\ngit merge ${hash('1')}\n`);
    expect(bringing.handing.resolve(child, 'again', { by: 'new' })).toBe(made);
    expect(session.node(child).conflict).toMatchObject({ handed: true, holder: made });

    const branch = inConflict('session');
    const other = branch.bringing.handing.resolve(branch.child, 'k', { by: 'new' });
    expect(branch.session.node(other).parentId).toBe(branch.child);
    expect(branch.session.nodes.find(other)?.task).not.toContain(hash('1'));
  });

  it('[MERGE20] a conflict whose holder is deleted waits again, and another can be made', () => {
    const { session, bringing, child } = inConflict('parent');
    const made = bringing.handing.resolve(child, 'k', { by: 'new' });
    const { seq } = session.node(child).conflict ?? {};
    session.drop(made);
    bringing.forget();
    const { conflict } = session.node(child);
    expect(conflict).toMatchObject({ handed: false });
    expect(conflict?.holder).toBeUndefined();
    expect(conflict?.seq).not.toBe(seq);
    expect(bringing.handing.resolve(child, 'k', { by: 'new' })).not.toBe(made);
  });
});
