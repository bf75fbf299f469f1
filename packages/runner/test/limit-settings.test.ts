import { availableParallelism, totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { limitSettings, showBytes } from '../src/limits/settings.ts';

describe('settings of limits', () => {
  it('[RUN17] are bounded by the machine unless set', () => {
    expect(limitSettings({ FILEPATH_AGENT_PIDS: ' ' })).toEqual({
      memory: Math.floor(Math.min(2 ** 31, totalmem() / 2)),
      pids: 512,
      cpus: Math.min(2, availableParallelism()),
    });
  });

  it.each([
    ['512M', 2 ** 29],
    ['1.5 GiB', 1.5 * 2 ** 30],
    ['268435456', 2 ** 28],
  ])('[RUN17] a memory of %s is understood', (text, bytes) => {
    expect(limitSettings({ FILEPATH_AGENT_MEMORY: text }).memory).toBe(bytes);
  });

  it('[RUN17] processes and cores are numbers', () => {
    const env = { FILEPATH_AGENT_PIDS: '100', FILEPATH_AGENT_CPUS: '0.25' };
    expect(limitSettings(env)).toMatchObject({ pids: 100, cpus: 0.25 });
  });

  it.each([
    ['FILEPATH_AGENT_MEMORY', ['lots', '1M', '-1', '2 TB', '1e9', '0x100000000']],
    ['FILEPATH_AGENT_PIDS', ['0', '3', '1.5', 'max', '-5', '99999999']],
    ['FILEPATH_AGENT_CPUS', ['0', '-1', 'all', '1,5', '0.01', 'Infinity']],
  ])('[RUN17] %s that is not understood is named, with what to set', (name, values) => {
    for (const value of values) {
      expect(() => limitSettings({ [name]: value })).toThrow(
        `${name} is ${JSON.stringify(value)}: set it to `,
      );
    }
  });

  it('[RUN17] are shown in units', () => {
    expect([2 ** 31, 1.5 * 2 ** 30, 2 ** 27].map(showBytes)).toEqual([
      '2 GiB',
      '1.5 GiB',
      '128 MiB',
    ]);
  });
});
