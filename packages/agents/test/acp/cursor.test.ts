import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { exitCode, interrupt } from '../clis/scenarios.ts';
import { placed } from '../stand-ins/placed.ts';

const KEY = { CURSOR_API_KEY: 'of-a-person' };
const isDone = ({ type }: AgentEvent): boolean => type === 'done';
const texts = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'text' && event.partial !== true ? [event.content] : [],
  );

describe('cursor, by a stand-in that speaks as its documentation says', () => {
  it('[DRV50] is signed in by its key, runs a command and tells its exit status', async () => {
    using it = placed('cursor', KEY);
    await exitCode.play(it.agent);
    await it.agent.end();
    expect(texts(it.agent.events())).toEqual(['I run it.', 'It ended with 3.']);
    const ended = it.agent.events().find((event) => Reflect.get(event, 'exit') === 3);
    expect(ended).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
  });

  it('[DRV50] says how to sign in when it has no key', async () => {
    using it = placed('cursor');
    await it.agent.say('go');
    const failed = await it.agent.until(
      (event) => event.type === 'status' && event.state === 'error',
      'the error',
    );
    await it.agent.end();
    expect(failed).toMatchObject({ reason: expect.stringContaining('not signed in') });
    expect(failed).toMatchObject({ reason: expect.stringContaining('cursor_login') });
  });

  it('[DRV5] asks a person where that is configured, and is refused', async () => {
    using it = placed('cursor', { ...KEY, FILEPATH_PERMISSIONS: 'ask' });
    await it.agent.say('go');
    const asked = await it.agent.until(({ type }) => type === 'decision', 'the question');
    expect(asked).toMatchObject({ prompt: 'Cursor wants to run: echo out; echo err >&2; exit 3' });
    await it.agent.decide(String(Reflect.get(asked, 'id')), 'deny');
    await it.agent.until(isDone, 'the end of the turn');
    await it.agent.end();
    expect(texts(it.agent.events()).at(-1)).toBe('It was refused.');
  });

  it('[DRV6] is interrupted in the middle of a command', async () => {
    using it = placed('cursor', KEY);
    await interrupt.play(it.agent);
    expect(it.agent.exits).toEqual([0]);
    expect(it.agent.events().at(-1)).toMatchObject({ state: 'idle', reason: 'stopped' });
  });

  it('[DRV51] goes on with its session in the next process, and tells nothing of it twice', async () => {
    using it = placed('cursor', KEY);
    await it.agent.say('the first');
    await it.agent.until(isDone, 'the end of the first turn');
    await it.agent.end();
    await it.agent.say('the second');
    await it.agent.until(isDone, 'the end of the second turn');
    await it.agent.end();
    const chats = join(it.home, '.cursor/chats');
    const [chat = '', ...others] = readdirSync(chats);
    expect(others).toEqual([]);
    expect(readFileSync(join(chats, chat), 'utf8')).toBe('the first\nthe second\n');
    expect(texts(it.agent.events())).not.toContain('This was said before.');
  });

  it('[DRV52] is given what comes while it works when its turn is over', async () => {
    using it = placed('cursor', { ...KEY, FILEPATH_PERMISSIONS: 'ask' });
    const isQuestion = ({ type }: AgentEvent): boolean => type === 'decision';
    const allow = (asked: AgentEvent): Promise<void> =>
      it.agent.decide(String(Reflect.get(asked, 'id')), 'allow');
    await it.agent.say('the first');
    const asked = await it.agent.until(isQuestion, 'the question');
    await it.agent.say('the second');
    const log = await it.agent.until(({ type }) => type === 'log', 'what becomes of it');
    expect(log).toMatchObject({
      message: 'Cursor takes no message while it works: this one comes next',
    });
    await allow(asked);
    await allow(await it.agent.until(isQuestion, 'the question of the second turn'));
    await it.agent.until(isDone, 'the end of both turns');
    await it.agent.end();
    const [chat = ''] = readdirSync(join(it.home, '.cursor/chats'));
    const said = readFileSync(join(it.home, '.cursor/chats', chat), 'utf8');
    expect(said).toBe('the first\nthe second\n');
    expect(it.agent.events().filter(isDone)).toHaveLength(1);
  });
});
