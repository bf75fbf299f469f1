import { describe, expect, it } from 'vitest';
import { lifecycleOf, owes, stalledFor, toBlocks } from '../src/index.ts';
import { exit, fap, log, runner, signal, started, system, user } from './events.ts';

const text = fap({ type: 'text', content: 'x' });
const question = fap({ type: 'decision', id: 'd', prompt: 'may I?', options: ['yes'], hash: 'h' });
const silent = (seconds: number) => runner({ type: 'silent', epoch: 1, seconds });
const held = runner({ type: 'held', epoch: 1, reason: 'the disk is full' });
const released = runner({ type: 'released', epoch: 1 });
const spawned = system({ type: 'spawned', spawn: 3, node: 'th_x', name: 'c' });

describe('a silence', () => {
  it('[RUN46] is the reason until something is heard or asked', () => {
    const said = [user('a'), started, text, silent(900)];
    const now = lifecycleOf(said);
    expect(now).toMatchObject({ status: 'running', reason: 'silent for 15 minutes', silent: true });
    expect(lifecycleOf([...said, text])).toMatchObject({ reason: null, silent: false });
    expect(lifecycleOf([...said, user('b')])).toMatchObject({ reason: null, silent: false });
    const limit = exit({ code: 137, reason: 'limit', detail: stalledFor(1800) });
    expect(lifecycleOf([...said, silent(1800), limit])).toMatchObject({
      status: 'error',
      reason: 'stalled: nothing heard for 30 minutes',
      silent: false,
    });
  });

  it.each([
    ['no run is open', [user('a'), started, fap({ type: 'done' })]],
    ['it waits for a person', [user('a'), started, question]],
    ['it is being stopped', [user('a'), started, signal('stop')]],
    ['it does not run', [user('a')]],
  ])('[RUN46] changes nothing where %s', (_why, said) => {
    expect(owes(lifecycleOf(said))).toBe(false);
    expect(lifecycleOf([...said, silent(900)])).toEqual(lifecycleOf(said));
  });

  it('[RUN46] an answered question is owed an answer again, and children count for their run', () => {
    expect(owes(lifecycleOf([user('a'), started, question, user('yes')]))).toBe(true);
    expect(lifecycleOf([user('a'), started, spawned]).delegated).toBe(true);
    expect(lifecycleOf([user('a'), started, spawned, user('b')]).delegated).toBe(false);
    expect(lifecycleOf([started, spawned]).delegated).toBe(false);
  });
});

describe('an agent that is held', () => {
  it('[RUN44] has the reason until it goes on', () => {
    const said = [user('a'), started, held];
    expect(lifecycleOf(said)).toMatchObject({ status: 'running', reason: 'the disk is full' });
    expect(lifecycleOf([...said, released])).toMatchObject({ status: 'running', reason: null });
    expect(lifecycleOf([user('a'), held, released])).toMatchObject({ reason: 'queued' });
    expect(lifecycleOf([user('a'), started, signal('stop'), held])).toMatchObject({
      reason: 'stopping',
    });
    expect(lifecycleOf([user('a'), started, exit(), held]).reason).toBeNull();
  });

  it('[RUN44] is shown', () => {
    const blocks = toBlocks(log(user('a'), started, held, released, silent(90)));
    expect(blocks.slice(2)).toMatchObject([
      { kind: 'notice', level: 'warn', text: 'held: the disk is full' },
      { kind: 'notice', level: 'info', text: 'goes on' },
      { kind: 'notice', level: 'warn', text: 'silent for 90 seconds' },
    ]);
  });
});
