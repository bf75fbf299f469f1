import { newSessionId, type NodeEntry } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { best, fit } from '../src/lib/state/fuzzy.ts';
import { actionsFor } from '../src/lib/state/node-actions.ts';
import { groupsFor, itemsOfAgents, itemsOfNode } from '../src/lib/state/palette-items.ts';
import { idOf, makeNode } from './support/nodes.ts';

const found = (typed: string, ...texts: string[]): string[] =>
  best(texts, typed, (text) => [text], 10);

describe('what fits', () => {
  it('[UIT12] has the letters in order, wherever they are', () => {
    expect(found('amw', 'auth-middleware', 'plan', 'make-war')).toContain('auth-middleware');
    expect(found('zz', 'auth-middleware')).toEqual([]);
    expect(fit('plan', 'nalp')).toBe(0);
  });

  it('[UIT12] is better the same, at beginnings of words and in one piece', () => {
    expect(found('plan', 'explain', 'plan-b', 'plan')).toEqual(['plan', 'plan-b', 'explain']);
    expect(found('am', 'stream', 'auth-middleware')[0]).toBe('auth-middleware');
    expect(found('db', 'd-b-x', 'db-schema')[0]).toBe('db-schema');
  });

  it('is everything, in its order, while nothing is typed', () => {
    expect(found('', 'b', 'a')).toEqual(['b', 'a']);
  });
});

describe('the palette', () => {
  const session = newSessionId();
  const entry = (name: string, sessionId = newSessionId()): NodeEntry => ({
    id: idOf(name),
    sessionId,
    parentId: null,
    name,
    agentType: 'custom',
    status: 'idle',
    sessionName: `of ${name}`,
  });
  const agents = itemsOfAgents([entry('far'), entry('near', session)], session);
  const node = makeNode('impl', null);
  const acts = itemsOfNode(node, actionsFor({ node, active: true, can: () => true }));

  it('[UIT12] has agents of every session, those of this one first', () => {
    expect(agents.map(({ label, hint }) => [label, hint])).toEqual([
      ['near', 'of near'],
      ['far', 'of far'],
    ]);
    expect(agents[0]).toMatchObject({ go: `/session/${session}?node=${idOf('near')}` });
  });

  it('[UIT13] has what can be done with the agent on the page', () => {
    expect(acts.map(({ label }) => label)).toEqual([
      'Spawn below impl',
      'Rename impl',
      'Stop impl',
      'Pause impl',
      'Delete impl',
      'Changes of impl',
      'Keys of the tree',
    ]);
  });

  it('[UIT13] shows groups with something in them only', () => {
    const titles = (typed: string) => groupsFor(typed, { acts, agents }).map(({ title }) => title);
    expect(titles('')).toEqual(['Agents', 'This agent', 'Go to']);
    expect(titles('near')).toEqual(['Agents']);
    expect(titles('theme')).toEqual(['Go to']);
    expect(titles('qqq')).toEqual([]);
  });

  it('finds an agent by its session too', () => {
    const [group] = groupsFor('of far', { acts: [], agents });
    expect(group?.items[0]?.label).toBe('far');
  });
});
