import type { MachineCheck } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { Bench } from './setup.ts';

it('[UIG8] the runner tells what its machine needs when it is asked, and why it cannot', async () => {
  const check: MachineCheck = { name: 'git', state: 'ok', text: '2.47' };
  let asked = 0;
  const bench = await Bench.open({
    checks: async () => {
      asked += 1;
      if (asked > 1) throw new Error('the disk is gone');
      return [check];
    },
  });
  await bench.worker.until('a hello', () => bench.worker.connected);
  expect(await bench.worker.ask({ kind: 'checks' })).toEqual({ kind: 'checks', checks: [check] });
  expect(await bench.worker.ask({ kind: 'checks' })).toEqual({
    kind: 'failed',
    reason: 'the disk is gone',
  });
});

it('[UIG8] a runner that cannot look says nothing', async () => {
  const bench = await Bench.open();
  await bench.worker.until('a hello', () => bench.worker.connected);
  expect(await bench.worker.ask({ kind: 'checks' })).toEqual({ kind: 'checks', checks: [] });
});
