import { describe, expect, it } from 'vitest';
import { lifecycleOf, owes, toBlocks, WAITING } from '../src/index.ts';
import { exit, fap, log, signal, started, user, type Said } from './events.ts';

const ask = (id: string, hash = 'h'): Said =>
  fap({ type: 'decision', id, prompt: `may I ${id}?`, options: ['yes', 'no'], hash });
const answer = (id: string, choice = 'yes'): Said => ({
  source: 'user',
  body: { type: 'decision', id, choice, hash: 'h' },
});
const text = fap({ type: 'text', content: 'x' });
const thinking = fap({ type: 'status', state: 'thinking' });
const begun = [user('a'), started];

describe('an agent that has asked a person', () => {
  it('[ST28] [ST29] [ST30] waits for a person until it has all answers', () => {
    expect(lifecycleOf([...begun, ask('a')])).toMatchObject({ status: 'running', reason: WAITING });
    const two = [...begun, thinking, ask('a'), text, ask('b'), thinking];
    expect(lifecycleOf(two)).toMatchObject({ status: 'thinking', reason: WAITING });
    expect(owes(lifecycleOf(two))).toBe(false);
    expect(lifecycleOf([...two, answer('b')])).toMatchObject({ reason: WAITING });
    const all = lifecycleOf([...two, answer('b'), answer('a')]);
    expect(all).toMatchObject({ status: 'thinking', reason: null, open: true });
    expect(owes(all)).toBe(true);
  });

  it.each([
    ['a message', user('go on'), null],
    ['its own words', fap({ type: 'status', state: 'running', reason: 'busy' }), 'busy'],
    ['a stop', signal('stop'), 'stopping'],
    ['its end', exit(), null],
  ])('[ST30] has another reason after %s', (_what, event, reason) => {
    expect(lifecycleOf([...begun, ask('a'), event]).reason).toBe(reason);
  });
});

describe('a question', () => {
  const shown = (...said: Said[]) =>
    toBlocks(log(...begun, ...said)).filter((block) => block.kind === 'decision');

  it('[BLK10] shows its answer in its place', () => {
    expect(shown(ask('a'), text, answer('a', 'no'))).toMatchObject([
      { decision: 'a', state: 'answered', choice: 'no', hash: 'h' },
    ]);
  });

  it('[BLK10] is open until it is answered, asked anew, or its process is gone', () => {
    expect(shown(ask('a'), ask('b'))).toMatchObject([{ state: 'open' }, { state: 'open' }]);
    expect(shown(ask('a'), ask('a', 'other'))).toMatchObject([
      { state: 'over' },
      { state: 'open' },
    ]);
    expect(shown(ask('a'), ask('b'), answer('b'), exit())).toMatchObject([
      { state: 'over', choice: null },
      { state: 'answered', choice: 'yes' },
    ]);
  });
});
