import { createHash, randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { Limits } from '@filepath/protocol';
import type { ProcessState } from '../executor/executor.ts';
import { readText } from '../files.ts';
import type { RunDir } from '../home.ts';
import { incidents, makeGroup, removeGroup, sweep } from './groups.ts';
import { CGROUP_ROOT, type Controller, findHierarchies, type Hierarchy } from './hierarchies.ts';
import { type LimitSettings, limitSettings, showBytes } from './settings.ts';

const PRLIMIT = '/usr/bin/prlimit';

/** What holds agents on this machine: control groups, or else limits that each process carries. */
export class AgentLimits {
  readonly settings: LimitSettings;
  readonly #hierarchies: readonly Hierarchy[];

  constructor(env: NodeJS.ProcessEnv, cgroupRoot: string = CGROUP_ROOT) {
    this.settings = limitSettings(env);
    this.#hierarchies = process.platform === 'linux' ? findHierarchies(cgroupRoot) : [];
    for (const { parent } of this.#hierarchies) sweep(parent);
  }

  report(): Limits {
    const by = (name: Controller): Limits[Controller] => {
      const found = this.#by(name);
      if (found !== undefined) return found.version === 2 ? 'cgroup-v2' : 'cgroup-v1';
      return name !== 'cpu' && existsSync(PRLIMIT) ? 'rlimit' : 'none';
    };
    return { memory: by('memory'), pids: by('pids'), cpu: by('cpu') };
  }

  /** Makes the groups that the shim joins. Repeatable. */
  enter(run: RunDir, slug: string): void {
    const hash = createHash('sha256').update(run.path).digest('hex').slice(0, 12);
    const name = `${slug.slice(0, 100)}-${run.epoch}-${hash}`;
    const groups = this.#hierarchies.map((one) => makeGroup(one, name, this.settings));
    writeFileSync(run.groups, groups.map((group) => `${group}\n`).join(''), { mode: 0o600 });
  }

  /** Groups for one command that the runner waits for, to be left when it has ended. */
  enterOnce(slug: string): { groups: string[]; leave(): Promise<void> } {
    const name = `${slug.slice(0, 100)}-job-${randomBytes(6).toString('hex')}`;
    const groups = this.#hierarchies.map((one) => makeGroup(one, name, this.settings));
    return {
      groups,
      leave: async () => {
        await Promise.all(groups.map((group) => removeGroup(group)));
      },
    };
  }

  /**
   * A command that goes before the agent's, inside its sandbox: there the user's other processes do not count.
   * Writable memory is limited for each process; an address space would be too small for Node at any size.
   */
  prefix(): string[] {
    const { memory, pids } = this.report();
    const options = [
      ...(memory === 'rlimit' ? [`--data=${this.settings.memory}`] : []),
      ...(pids === 'rlimit' ? [`--nproc=${this.settings.pids}`] : []),
    ];
    return options.length === 0 ? [] : [PRLIMIT, ...options, '--'];
  }

  /** Nothing of the agent runs any more: notes the limit that ended it, and removes its groups. */
  async leave(run: RunDir, state: ProcessState): Promise<void> {
    const groups = groupsOf(run);
    if (groups.length === 0) return;
    const limit = this.#reached(groups, state);
    // A stop that was ordered is why it ended, whatever it came to before.
    if (limit !== null && !existsSync(run.limit) && !existsSync(run.stop)) {
      writeFileSync(run.limit, limit, { mode: 0o600 });
    }
    const gone = await Promise.all(groups.map((group) => removeGroup(group)));
    if (!gone.includes(false)) rmSync(run.groups, { force: true });
  }

  /** An agent that came to a limit and went on to succeed was not ended by it. */
  #reached(groups: readonly string[], state: ProcessState): string | null {
    if (state.at !== 'lost' && !(state.at === 'exited' && state.status !== 0)) return null;
    const { oomKills, pidsHits } = incidents(groups);
    if (oomKills > 0) return `out of memory (limit ${showBytes(this.settings.memory)})`;
    if (pidsHits > 0) return `too many processes (limit ${this.settings.pids})`;
    return null;
  }

  #by(name: Controller): Hierarchy | undefined {
    return this.#hierarchies.find(({ controllers }) => controllers.includes(name));
  }
}

/** The groups of an epoch, whichever runner made them. */
export function groupsOf(run: RunDir): string[] {
  return (readText(run.groups) ?? '').split('\n').filter(Boolean);
}
