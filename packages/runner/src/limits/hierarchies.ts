import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../files.ts';

export const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** A tree of groups in which agents can be given groups of their own. */
export type Hierarchy = {
  version: 1 | 2;
  /** The group `filepath`: each agent has a group below it. */
  parent: string;
  controllers: Controller[];
  freezer: boolean;
};

export const CGROUP_ROOT = '/sys/fs/cgroup';

/** The file that only a group with this controller has. */
const FILES = {
  1: { memory: 'memory.limit_in_bytes', pids: 'pids.max', cpu: 'cpu.cfs_quota_us' },
  2: { memory: 'memory.max', pids: 'pids.max', cpu: 'cpu.max' },
} as const;

/** What this process may use, proven by a process that joins. Each controller is in one hierarchy at most. */
export function findHierarchies(root: string): Hierarchy[] {
  const found: Hierarchy[] = [];
  const unified = [root, join(root, 'unified')].find((path) =>
    existsSync(join(path, 'cgroup.controllers')),
  );
  const own = ownGroups();
  if (unified !== undefined) {
    const hierarchy = first(unified, own.get('') ?? '/', (base) => tryUnified(base));
    if (hierarchy !== null) found.push(hierarchy);
  }
  for (const name of [...CONTROLLERS, 'freezer'] as const) {
    const top = join(root, name);
    const has = (one: Hierarchy): boolean =>
      name === 'freezer' ? one.freezer : one.controllers.includes(name);
    if (found.some(has) || !existsSync(join(top, 'cgroup.procs'))) continue;
    const hierarchy = first(top, own.get(name) ?? '/', (base) => tryLegacy(base, name));
    if (hierarchy !== null) found.push(hierarchy);
  }
  return found;
}

/**
 * The highest group that can be used: agents outlive the runner, and with it the group of whoever started it.
 * An ordinary user has been given one further down, if any.
 */
function first(
  top: string,
  own: string,
  attempt: (base: string) => Hierarchy | null,
): Hierarchy | null {
  const bases = [top];
  for (const name of own.split('/').filter(Boolean)) bases.push(join(bases.at(-1) ?? top, name));
  for (const base of bases) {
    if (!existsSync(join(base, 'cgroup.procs'))) break;
    try {
      const hierarchy = attempt(base);
      if (hierarchy !== null) return hierarchy;
    } catch {
      continue;
    }
  }
  return null;
}

function tryUnified(base: string): Hierarchy | null {
  const parent = join(base, 'filepath');
  mkdirSync(parent, { recursive: true });
  for (const group of [base, parent]) {
    for (const name of CONTROLLERS) enable(group, name);
  }
  return probe(parent, (group) => {
    const controllers = CONTROLLERS.filter((name) => existsSync(join(group, FILES[2][name])));
    const freezer = existsSync(join(group, 'cgroup.freeze'));
    const useful = freezer || controllers.length > 0;
    return useful ? { version: 2, parent, controllers, freezer } : null;
  });
}

/** A group that holds processes cannot hand controllers on, unless it is the root of all. */
function enable(group: string, controller: Controller): void {
  try {
    writeFileSync(join(group, 'cgroup.subtree_control'), `+${controller}`);
  } catch {
    return;
  }
}

function tryLegacy(base: string, name: Controller | 'freezer'): Hierarchy | null {
  const parent = join(base, 'filepath');
  mkdirSync(parent, { recursive: true });
  return probe(parent, (group) => {
    const freezer = name === 'freezer';
    const file = freezer ? 'freezer.state' : FILES[1][name];
    if (!existsSync(join(group, file))) return null;
    return { version: 1, parent, controllers: freezer ? [] : [name], freezer };
  });
}

const JOIN = 'echo 0 > "$1/cgroup.procs"';

function probe(parent: string, look: (group: string) => Hierarchy | null): Hierarchy | null {
  const group = join(parent, `check-${process.pid}`);
  mkdirSync(group, { recursive: true });
  try {
    execFileSync('/bin/sh', ['-c', JOIN, 'sh', group], { stdio: 'ignore', timeout: 5_000 });
    return look(group);
  } finally {
    rmdirSync(group);
  }
}

/** The groups of this process by controller; that of the unified hierarchy has an empty name. */
function ownGroups(): Map<string, string> {
  const lines = (readText('/proc/self/cgroup') ?? '').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, names = '', ...path] = line.split(':');
      return names.split(',').map((name): [string, string] => [name, path.join(':')]);
    }),
  );
}
