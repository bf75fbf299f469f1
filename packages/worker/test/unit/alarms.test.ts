import { describe, expect, it } from 'vitest';
import { Alarms, ALARMS_TABLE } from '../../src/storage/alarms.ts';
import { nodeSql } from './support/node-sql.ts';

function newAlarms() {
  const sql = nodeSql();
  sql.run(ALARMS_TABLE);
  const clock = { now: 1000 };
  const state: { at: number | null; failed: string[] } = { at: null, failed: [] };
  const open = (): Alarms =>
    new Alarms(
      sql,
      (at) => {
        state.at = at;
      },
      () => clock.now,
      (name) => state.failed.push(name),
    );
  return { open, alarms: open(), clock, state };
}

describe('the alarms of an object', () => {
  it('[F7] one that is overdue fires once, after a restart too', async () => {
    const { open, clock, state, alarms } = newAlarms();
    alarms.schedule('work', 2000);
    expect(state.at).toBe(2000);
    clock.now = 900_000;
    let times = 0;
    const work = async () => void (times += 1);
    await open().run({ work });
    await open().run({ work });
    expect(times).toBe(1);
    expect(state.at).toBeNull();
  });

  it('[F8] one that fails seven times is set again each time, later and later, and the others run', async () => {
    const { alarms, clock, state } = newAlarms();
    let others = 0;
    const delays: number[] = [];
    alarms.schedule('work', 1000);
    for (let times = 0; times < 7; times += 1) {
      alarms.schedule('other', clock.now);
      await alarms.run({
        work: () => Promise.reject(new Error('no')),
        other: async () => void (others += 1),
      });
      delays.push((state.at ?? 0) - clock.now);
      clock.now = state.at ?? 0;
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(others).toBe(7);
    expect(state.failed).toHaveLength(7);
    await alarms.run({ work: async () => undefined });
    expect(state.at).toBeNull();
  });

  it('a handler sets the next time for itself, and the earliest holds', async () => {
    const { alarms, clock, state } = newAlarms();
    alarms.schedule('work', 1000);
    await alarms.run({
      work: async () => {
        alarms.schedule('work', 9000);
        alarms.schedule('work', 5000);
      },
    });
    expect(state.at).toBe(5000);
    clock.now = 5000;
    await alarms.run({
      work: async () => {
        alarms.schedule('work', 9000);
        alarms.cancel('work');
      },
    });
    expect(state.at).toBeNull();
  });

  it('[F8] one that cancelled itself before it failed is tried again', async () => {
    const { alarms, clock, state } = newAlarms();
    alarms.schedule('work', 1000);
    await alarms.run({
      work: () => {
        alarms.cancel('work');
        return Promise.reject(new Error('no'));
      },
    });
    expect(state.at).toBe(2000);
    clock.now = 2000;
    let times = 0;
    await alarms.run({ work: async () => void (times += 1) });
    expect([times, state.at]).toEqual([1, null]);
  });

  it('a time that was set while its handler ran holds though the handler failed', async () => {
    const { alarms, state } = newAlarms();
    alarms.schedule('work', 1000);
    await alarms.run({
      work: async () => {
        alarms.schedule('work', 1100);
        throw new Error('no');
      },
    });
    expect(state.at).toBe(1100);
  });
});
