import { LINK_VERSION } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { call, RUNNER } from './support/api.ts';
import { TestRunner } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';

it('[RUN18] health says what holds the limits of agents, as their runner last said it', async () => {
  const limits = { memory: 'cgroup-v2', pids: 'rlimit', cpu: 'none' } as const;
  await TestRunner.connect({ limits });
  const answer = await (await call('/api/health')).json();
  expect(answer).toMatchObject({ ok: true, agents: { available: true, limits } });
  await TestRunner.connect();
  const later = await (await call('/api/health')).json();
  expect(later).toMatchObject({ agents: { available: true } });
  expect(later).not.toHaveProperty('agents.limits');
});

it('[RUN33] health lists every executor with whether it works and what holds its limits', async () => {
  const limits = { memory: 'cgroup-v1', pids: 'cgroup-v1', cpu: 'cgroup-v1' } as const;
  const executors = [
    { kind: 'sandbox', available: false, reason: 'bubblewrap is not installed' },
    { kind: 'container', available: true, limits },
  ];
  const socket = await TestSocket.open('/link/runner/rn_local', RUNNER);
  socket.send({ t: 'hello', v: LINK_VERSION, runner: 'rn_local', executors });
  await socket.until('welcome');
  const answer = await (await call('/api/health')).json();
  expect(answer).toMatchObject({ agents: { available: true, limits, executors } });
});
