import { expect } from 'vitest';
import { asks, rateLimit, type Scenario, SHORT, steer } from '../clis/scenarios.ts';

/** Programs that speak ACP say nothing of a call that they repeat: only the gateway tells of the limit. */
export const QUIET_RATE_LIMIT: Scenario = {
  ...rateLimit,
  play: async (agent) => {
    await agent.say('Try it.');
    await agent.until(({ type }) => type === 'done', 'the end of the turn');
    const texts = agent.events().flatMap((event) => {
      return event.type === 'text' && event.partial !== true ? [event.content] : [];
    });
    expect(texts).toEqual(['Now it works.']);
  },
};

/** codex ends its turn when an edit is refused. */
export const REFUSAL_ENDS: Scenario = {
  ...asks,
  play: async (agent) => {
    await agent.say('Write two files.');
    const first = await agent.until(({ type }) => type === 'decision', 'the first question');
    await agent.decide(String(Reflect.get(first, 'id')), 'allow');
    await agent.until(
      (event) => event.type === 'tool' && event.status === 'done' && event.diff !== undefined,
      'the written file',
    );
    const second = await agent.until(({ type }) => type === 'decision', 'the second question');
    expect(Reflect.get(second, 'hash')).not.toBe(Reflect.get(first, 'hash'));
    await agent.decide(String(Reflect.get(second, 'id')), 'deny');
    await agent.until(
      (event) => event.type === 'tool' && event.status === 'error',
      'the refused file',
    );
    await agent.until(
      (event) => event.type === 'status' && event.state === 'idle',
      'the end of the turn',
    );
  },
};

/** It takes no message while it works: the message is the next turn of the same run. */
export const QUEUED_STEER: Scenario = {
  ...steer,
  live: true,
  script: (hands) => [{ tools: [hands.shell(SHORT)] }, { text: 'One.' }, { text: 'Two.' }],
  play: async (agent) => {
    await agent.say('Run for a while.');
    await agent.until(({ type }) => type === 'command', 'the command');
    await agent.say('Mind the gap.');
    await agent.until(({ type }) => type === 'done', 'the end of both turns');
    expect(agent.events().filter(({ type }) => type === 'done')).toHaveLength(1);
    const logs = agent.events().filter(({ type }) => type === 'log');
    expect(JSON.stringify(logs)).toContain('this one comes next');
  },
  asked: (requests) => expect(requests.at(-1)?.lastText).toContain('Mind the gap.'),
};
