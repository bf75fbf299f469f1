import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { exitCode } from '../clis/scenarios.ts';
import { placed } from '../stand-ins/placed.ts';

const isDone = ({ type }: AgentEvent): boolean => type === 'done';

describe("amp, by a stand-in that speaks Claude's dialect as its documentation says", () => {
  it('[DRV53] runs a command, tells its exit status, and is done without a result', async () => {
    using it = placed('amp');
    await exitCode.play(it.agent);
    await it.agent.end();
    const texts = it.agent
      .events()
      .flatMap((event) => (event.type === 'text' && event.partial !== true ? [event.content] : []));
    expect(texts).toEqual(['I run it.', 'It ended with 3.']);
  });

  it('[DRV53] serves many messages in one thread, also in its next process', async () => {
    using it = placed('amp');
    for (const text of ['the first', 'the second']) {
      await it.agent.say(text);
      await it.agent.until(isDone, `the end of ${text}`);
    }
    await it.agent.end();
    await it.agent.say('the third');
    await it.agent.until(isDone, 'the end of the third');
    await it.agent.end();
    const threads = join(it.home, '.local/share/amp/threads');
    const [thread = '', ...others] = readdirSync(threads);
    expect(others).toEqual([]);
    expect(thread).toMatch(/^T-/);
    expect(readFileSync(join(threads, thread), 'utf8')).toBe('the first\nthe second\nthe third\n');
  });

  it('[DRV6] is ended when it is interrupted, since it has no other way', async () => {
    using it = placed('amp');
    await it.agent.say('Run for a long time.');
    await it.agent.until(({ type }) => type === 'command', 'the command');
    await it.agent.stop();
    await it.agent.ended();
    expect(it.agent.exits).toEqual([0]);
    expect(it.agent.events().at(-2)).toMatchObject({ type: 'command', status: 'error' });
    expect(it.agent.events().at(-1)).toMatchObject({ state: 'idle', reason: 'stopped' });
  });
});
