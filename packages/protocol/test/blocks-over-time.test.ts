import { describe, expect, it } from 'vitest';
import { type Block, BlockReducer, newThreadId, toBlocks } from '../src/index.ts';
import { fap, log, runner, type Said, system, user } from './events.ts';

const shown = (...said: Said[]): readonly Block[] => toBlocks(log(...said));
const tool = (status: string, more: Record<string, unknown> = {}): Said['body'] => ({
  type: 'tool',
  name: 'write',
  status,
  ...more,
});

describe('groups', () => {
  const commit = (hash: string): Said => fap({ type: 'commit', hash, message: hash });

  it('[BLK4] consecutive commits are one block', () => {
    const blocks = shown(commit('a'), commit('b'), user('x'), commit('c'));
    expect(blocks).toMatchObject([
      { id: 'e1', commits: [{ hash: 'a' }, { hash: 'b' }] },
      { kind: 'message' },
      { id: 'e4', commits: [{ hash: 'c' }] },
    ]);
  });

  const A = 'a1b2c3d4'.repeat(5);
  const B = 'b1b2c3d4'.repeat(5);
  const head = (to: string): Said =>
    runner({ type: 'head', epoch: 1, from: '0'.repeat(40), to, message: 'seen' });

  it('[BLK4] commits that the runner saw are one block, verified', () => {
    expect(shown(head(A), head(B))).toMatchObject([
      { kind: 'commits', verified: true, commits: [{ hash: A, message: 'seen' }, { hash: B }] },
    ]);
  });

  it.each([
    ['said first', [commit(A.slice(0, 7)), commit('x'), head(A)], [A, 'x']],
    ['seen first', [head(A), commit(A.slice(0, 9)), commit('x')], [A, 'x']],
    ['said long before', [commit(A), user('x'), commit(B), head(A), head(B)], [A, B]],
    ['seen twice', [head(A), user('x'), head(A), commit(A)], [A]],
    ['too short to tell', [commit(A.slice(0, 6)), head(A)], [A.slice(0, 6), A]],
  ])('[BLK9] a commit is shown once: %s', (_name, said, hashes) => {
    const events = log(...said);
    const reducer = new BlockReducer();
    for (const event of events) {
      reducer.push([event]);
      expect(reducer.blocks.length).toBeGreaterThan(0);
    }
    expect(reducer.blocks).toEqual(toBlocks(events));
    const commits = reducer.blocks.flatMap((b) => (b.kind === 'commits' ? b.commits : []));
    expect(commits.map(({ hash }) => hash)).toEqual(hashes);
    for (const { hash, verified } of commits) expect(verified).toBe(hash.length === 40);
    for (const b of reducer.blocks) {
      if (b.kind === 'commits') expect(b.verified).toBe(b.commits.every((c) => c.verified));
    }
  });

  it('[BLK4] a clone is one block with its latest progress', () => {
    const cloning = (detail: string): Said =>
      runner({ type: 'workspace', epoch: 1, state: 'cloning', detail });
    const ready = runner({ type: 'workspace', epoch: 1, state: 'ready', detail: 'r' });
    expect(shown(cloning('r'), cloning('r: 20%'), cloning('r: 40%'), ready)).toMatchObject([
      { id: 'e1', text: 'cloning the repository', detail: 'r: 40%' },
      { text: 'workspace ready' },
    ]);
  });

  it('[BLK4] the checks before a start and their result are one block', () => {
    const health = (state: string, note?: string): Said =>
      runner({ type: 'health', epoch: 1, state, checks: [], note, blocked: false });
    const checking = health('checking', 'types');
    expect(shown(checking)).toMatchObject([{ text: 'checking the workspace', detail: 'types' }]);
    expect(
      shown(checking, health('done', 'what'), user('x'), health('done', 'more')),
    ).toMatchObject([
      { id: 'e1', level: 'warn', text: 'workspace: not checked', detail: 'what' },
      { kind: 'message' },
      { id: 'e4', detail: 'more' },
    ]);
  });

  it('[BLK4] an image is one block with its latest step', () => {
    const step = (state: string, detail: string): Said =>
      runner({ type: 'image', epoch: 1, state, detail });
    expect(
      shown(step('building', 'f'), step('building', 'f: STEP 1'), step('ready', 'f')),
    ).toMatchObject([
      { id: 'e1', text: 'building the image', detail: 'f: STEP 1' },
      { text: 'image ready', detail: 'f' },
    ]);
    expect(shown(step('pulling', 'i'), step('building', 'f'))).toHaveLength(2);
  });

  it('[BLK4] of consecutive statuses the latest is shown', () => {
    const blocks = shown(
      fap({ type: 'status', state: 'thinking', context_pct: 0.4, reason: 'r' }),
      fap({ type: 'status', state: 'running' }),
      fap({ type: 'text', content: 'x' }),
      fap({ type: 'status', state: 'idle' }),
    );
    expect(blocks).toMatchObject([
      { id: 'e1', state: 'running', reason: null, contextPct: 0.4 },
      { kind: 'text' },
      { state: 'idle', contextPct: null },
    ]);
  });

  it('[BLK5] a spawn is pending until the control plane names it', () => {
    const node = newThreadId();
    const spawn = (name: string): Said => fap({ type: 'spawn', name, agent: 'custom', model: 'm' });
    const blocks = shown(
      spawn('a'),
      spawn('b'),
      spawn('c'),
      system({ type: 'spawned', spawn: 1, node, name: 'a' }),
      system({ type: 'spawn_failed', spawn: 2, name: 'b', reason: 'cap reached' }),
      system({ type: 'spawn_failed', spawn: 99, name: 'z', reason: 'gone' }),
    );
    expect(blocks).toMatchObject([
      { kind: 'spawn', state: 'created', node },
      { kind: 'spawn', state: 'failed', reason: 'cap reached' },
      { kind: 'spawn', state: 'pending', node: null },
      { kind: 'notice', level: 'error', text: 'could not spawn z: gone' },
    ]);
  });
});

describe('identity', () => {
  it('[BLK6] the array stays the same until something changes', () => {
    const reducer = new BlockReducer();
    const events = log(user('a'), fap({ type: 'text', content: 'x' }));
    reducer.push(events);
    const before = reducer.blocks;
    reducer.push(events);
    reducer.push([]);
    expect(reducer.blocks).toBe(before);
  });

  it('[BLK6] a changed block is a new object, the others are the old ones', () => {
    const events = log(fap(tool('start', { id: '1' })), user('a'), fap(tool('done', { id: '1' })));
    const reducer = new BlockReducer();
    reducer.push(events.slice(0, 2));
    const before = reducer.blocks;
    const kept = structuredClone(before);
    reducer.push(events.slice(2));
    const after = reducer.blocks;
    expect(before).toEqual(kept);
    expect(after[0]).not.toBe(before[0]);
    expect(after[0]?.id).toBe(before[0]?.id);
    expect(after[1]).toBe(before[1]);
  });

  it('joins 10,000 starts with their ends, however far apart they are', () => {
    const said: Said[] = [];
    for (let n = 0; n < 10_000; n += 1) said.push(fap(tool('start', { path: String(n) })));
    for (let n = 0; n < 10_000; n += 1) said.push(fap(tool('done', { path: String(n) })));
    const events = log(...said);
    const blocks = toBlocks(events);
    expect(blocks).toHaveLength(10_000);
    expect(blocks.every((block) => block.kind === 'tool' && block.status === 'done')).toBe(true);
  });
});

describe('drafts', () => {
  const finished = fap({ type: 'text', id: 'm1', content: 'Hello.' });

  it('[BLK7] a draft comes last and grows', () => {
    const reducer = new BlockReducer();
    reducer.push(log(user('a')));
    reducer.delta('m1', 'Hel');
    const first = reducer.blocks;
    reducer.delta('m1', 'lo');
    expect(first).toMatchObject([{ kind: 'message' }, { kind: 'text', content: 'Hel' }]);
    expect(reducer.blocks).toMatchObject([
      { kind: 'message' },
      { kind: 'text', content: 'Hello', partial: true, id: first[1]?.id },
    ]);
    reducer.draft('m1', 'Hello.');
    expect(reducer.blocks[1]).toMatchObject({ content: 'Hello.', partial: true });
  });

  it('[BLK7] the finished text takes its place and its id', () => {
    const reducer = new BlockReducer();
    reducer.delta('m1', 'Hel');
    reducer.delta('m2', 'other');
    const [draft] = reducer.blocks;
    reducer.push(log(finished));
    expect(reducer.blocks).toMatchObject([
      { id: draft?.id, seq: 1, content: 'Hello.', partial: false },
      { content: 'other', partial: true },
    ]);
  });

  it('[BLK6] ids are unique, also when an agent uses one id for several texts', () => {
    const reducer = new BlockReducer();
    const events = log(finished, finished);
    reducer.delta('m1', 'a');
    reducer.push(events.slice(0, 1));
    reducer.delta('m1', 'b');
    reducer.push(events.slice(1));
    reducer.delta('m1', 'c');
    const ids = reducer.blocks.map((block) => block.id);
    expect(new Set(ids).size).toBe(3);
  });
});
