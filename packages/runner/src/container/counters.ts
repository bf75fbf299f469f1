import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../files.ts';
import { incidents } from '../limits/groups.ts';
import { CGROUP_ROOT } from '../limits/hierarchies.ts';

const SAMPLE_MS = 100;

/**
 * How often a container came to its limits. Its control groups go soon after its last process, and the counts with
 * them, so they are read while it runs and once more as soon as it has ended.
 */
export class Counters {
  readonly #groups: readonly string[];
  readonly #timer: NodeJS.Timeout;
  #oomKills = 0;
  #pidsHits = 0;

  /** `id` is the container's: a number may have been given to another process meanwhile. */
  constructor(pid: number, id: string) {
    this.#groups = groupsOf(pid, id);
    this.#timer = setInterval(() => this.sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  sample(): { oomKills: number; pidsHits: number } {
    const { oomKills, pidsHits } = incidents(this.#groups);
    this.#oomKills = Math.max(this.#oomKills, oomKills);
    this.#pidsHits = Math.max(this.#pidsHits, pidsHits);
    return { oomKills: this.#oomKills, pidsHits: this.#pidsHits };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function groupsOf(pid: number, id: string): string[] {
  let text: string | null = null;
  try {
    text = readText(`/proc/${pid}/cgroup`);
  } catch {
    return [];
  }
  return (text ?? '').split('\n').flatMap((line) => {
    const [, names = '', ...rest] = line.split(':');
    const path = rest.join(':');
    if (!path.includes(id)) return [];
    const tops = names === '' ? ['', 'unified'] : names.split(',');
    const group = tops.map((top) => join(CGROUP_ROOT, top, path)).find((dir) => existsSync(dir));
    return group === undefined ? [] : [group];
  });
}
