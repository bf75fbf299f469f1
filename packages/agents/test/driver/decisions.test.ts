import type { AgentEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ALLOW, ALLOW_SAME, Decisions, DENY, hashOf } from '../../src/driver/decisions.ts';
import { Journal } from '../../src/driver/journal.ts';
import { Voice } from '../../src/driver/voice.ts';

function asking() {
  const said: AgentEvent[] = [];
  const decisions = new Decisions(new Voice((event) => said.push(event), new Journal()));
  const asked = (): Extract<AgentEvent, { type: 'decision' }> => {
    const last = said.at(-1);
    if (last?.type !== 'decision') throw new Error(`the last word is ${JSON.stringify(last)}`);
    return last;
  };
  return { said, decisions, asked };
}

describe('permission by a person', () => {
  it('[DRV5] is bound to what is asked: one byte more is asked again', async () => {
    const { said, decisions, asked } = asking();
    const first = decisions.permit('Run?', { cmd: 'rm a' });
    expect(asked().hash).toBe(hashOf({ cmd: 'rm a' }));
    decisions.answer(asked().id, ALLOW_SAME);
    expect(await first).toBe(true);

    const before = said.length;
    expect(await decisions.permit('Run?', { cmd: 'rm a' })).toBe(true);
    expect(said).toHaveLength(before);

    const other = decisions.permit('Run?', { cmd: 'rm a ' });
    decisions.answer(asked().id, DENY);
    expect(await other).toBe(false);
  });

  it('[DRV5] holds once unless it was given for the same again', async () => {
    const { decisions, asked } = asking();
    const first = decisions.permit('Run?', { cmd: 'ls' });
    const { id } = asked();
    decisions.answer(id, ALLOW);
    expect(await first).toBe(true);
    const second = decisions.permit('Run?', { cmd: 'ls' });
    expect(asked().id).not.toBe(id);
    decisions.answer(asked().id, DENY);
    expect(await second).toBe(false);
  });

  it('[DRV5] is not given by an answer that is no option, nor by a question withdrawn', async () => {
    const { said, decisions, asked } = asking();
    const allowed = decisions.permit('Run?', { cmd: 'ls' });
    decisions.answer(asked().id, 'yes');
    await expect.poll(() => said.at(-1)?.type).toBe('decision');
    expect(said.filter(({ type }) => type === 'decision')).toHaveLength(2);
    decisions.cancelAll();
    expect(await allowed).toBe(false);
  });

  it('[DRV5] has one hash for the same content, whatever the order of its keys', () => {
    expect(hashOf({ a: 1, b: [{ c: 2, d: null }] })).toBe(hashOf({ b: [{ d: null, c: 2 }], a: 1 }));
    expect(hashOf({ a: '1' })).not.toBe(hashOf({ a: 1 }));
  });
});
