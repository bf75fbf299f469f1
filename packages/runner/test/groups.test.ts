import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { incidents, makeGroup, sweep } from '../src/limits/groups.ts';
import { CONTROLLERS, type Hierarchy } from '../src/limits/hierarchies.ts';
import { tempDir } from './setup.ts';

const SETTINGS = { memory: 2 ** 28, pids: 100, cpus: 1.5 };

/** A group as the kernel makes it: its files are there from the start. */
function group(version: 1 | 2, files: readonly string[]): { hierarchy: Hierarchy; path: string } {
  const parent = tempDir();
  const path = join(parent, 'agent');
  mkdirSync(path);
  for (const name of files) writeFileSync(join(path, name), '');
  return { hierarchy: { version, parent, controllers: [...CONTROLLERS], freezer: true }, path };
}

describe('a control group', () => {
  it.each([
    [2, { 'memory.max': '268435456', 'memory.swap.max': '0', 'cpu.max': '150000 100000' }],
    [
      1,
      {
        'memory.limit_in_bytes': '268435456',
        'memory.memsw.limit_in_bytes': '268435456',
        'cpu.cfs_period_us': '100000',
        'cpu.cfs_quota_us': '150000',
      },
    ],
  ] as const)('[RUN17] of version %i is given its limits', (version, expected) => {
    const values: Record<string, string> = { ...expected, 'pids.max': '100' };
    const { hierarchy, path } = group(version, Object.keys(values));
    expect(makeGroup(hierarchy, 'agent', SETTINGS)).toBe(path);
    for (const [name, value] of Object.entries(values)) {
      expect(readFileSync(join(path, name), 'utf8'), name).toBe(value);
    }
  });

  it('[RUN17] without swap has no limit of it', () => {
    const { hierarchy, path } = group(2, ['memory.max']);
    makeGroup(hierarchy, 'agent', SETTINGS);
    expect(existsSync(join(path, 'memory.swap.max'))).toBe(false);
  });

  it.each([
    ['memory.events', 'low 0\nhigh 0\nmax 31\noom 3\noom_kill 2\noom_group_kill 0\n'],
    ['memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n'],
  ])('[RUN17] counts kills in %s and refused processes', (name, text) => {
    const { path } = group(1, []);
    writeFileSync(join(path, name), text);
    writeFileSync(join(path, 'pids.events'), 'max 7\n');
    expect(incidents([path, join(path, 'missing')])).toEqual({ oomKills: 2, pidsHits: 7 });
  });

  it('[RUN17] that nobody came back for is removed after a while, unless something is in it', () => {
    const { hierarchy, path } = group(2, ['cgroup.procs']);
    const empty = join(hierarchy.parent, 'empty');
    mkdirSync(empty);
    sweep(hierarchy.parent);
    expect(existsSync(empty)).toBe(true);
    sweep(hierarchy.parent, -1000);
    expect([existsSync(empty), existsSync(path)]).toEqual([false, true]);
  });
});
