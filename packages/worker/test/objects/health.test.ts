import { expect, it } from 'vitest';
import { call } from './support/api.ts';
import { TestRunner } from './support/runner.ts';

it('[RUN18] health says what holds the limits of agents, as their runner last said it', async () => {
  const limits = { memory: 'cgroup-v2', pids: 'rlimit', cpu: 'none' } as const;
  await TestRunner.connect(limits);
  const answer = await (await call('/api/health')).json();
  expect(answer).toMatchObject({ ok: true, agents: { available: true, limits } });
  await TestRunner.connect();
  const later = await (await call('/api/health')).json();
  expect(later).toMatchObject({ agents: { available: true } });
  expect(later).not.toHaveProperty('agents.limits');
});
