import { type MachineCheck, RunnerInfo } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ask, call, newAgent, OWNER } from './support/api.ts';
import { TestRunner } from './support/runner.ts';
import { signInAs } from './support/users.ts';

const CHECKS = '/api/runners/rn_local/checks';

async function theRunner(): Promise<RunnerInfo> {
  const { runners } = z
    .object({ runners: z.array(RunnerInfo) })
    .parse(await ask(200, 'GET', '/api/runners'));
  expect(runners).toHaveLength(1);
  return RunnerInfo.parse(runners[0]);
}

it('[UIG7] a runner is listed with since when it is there and when it was last', async () => {
  const before = new Date().toISOString();
  const { socket } = await TestRunner.connect();
  const there = await theRunner();
  expect(there).toMatchObject({ id: 'rn_local', connected: true, working: 0 });
  expect(there.executors).toEqual([{ kind: 'sandbox', available: true }]);
  expect((there.since ?? '') >= before).toBe(true);
  socket.close();
  await expect.poll(async () => (await theRunner()).connected).toBe(false);
  const gone = await theRunner();
  expect(gone.since).toBe(there.since);
  expect((gone.seenAt ?? '') >= (there.seenAt ?? '')).toBe(true);
});

it('[UIG7] another user has no runner', async () => {
  await newAgent();
  const headers = await signInAs('runner-stranger');
  expect(await (await call('/api/runners', { headers })).json()).toEqual({ runners: [] });
  expect((await call(CHECKS, { headers })).status).toBe(404);
});

it('[UIG8] what the machine needs is asked of its runner, and refused at once where none is', async () => {
  const { socket } = await TestRunner.connect();
  const checks: MachineCheck[] = [
    { name: 'git', state: 'ok', text: '2.47' },
    { name: 'containers', state: 'warn', text: 'none', works: 'all else', fix: 'install podman' },
  ];
  const asking = call(CHECKS, { headers: OWNER });
  const { ask: number, question } = await socket.until('ask');
  expect(question).toEqual({ kind: 'checks' });
  socket.send({ t: 'answer', ask: number, answer: { kind: 'checks', checks } });
  expect(await (await asking).json()).toEqual({ checks });

  const failing = call(CHECKS, { headers: OWNER });
  const again = await socket.until('ask');
  socket.send({ t: 'answer', ask: again['ask'], answer: { kind: 'failed', reason: 'no disk' } });
  const failed = await failing;
  expect(failed.status).toBe(503);
  expect(await failed.text()).toContain('no disk');

  socket.close();
  await expect.poll(async () => (await theRunner()).connected).toBe(false);
  expect((await call(CHECKS, { headers: OWNER })).status).toBe(503);
});
