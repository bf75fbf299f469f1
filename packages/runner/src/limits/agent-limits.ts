import { createHash, randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Limits } from '@filepath/protocol';
import { diskSettings } from '../disk/settings.ts';
import type { ProcessState } from '../executor/executor.ts';
import { readText } from '../files.ts';
import type { RunDir } from '../home.ts';
import { incidents, makeGroup, removeGroup, sweep } from './groups.ts';
import { CGROUP_ROOT, type Controller, findHierarchies, type Hierarchy } from './hierarchies.ts';
import { type LimitSettings, limitSettings, showBytes } from './settings.ts';

const PRLIMIT = '/usr/bin/prlimit';
/** What a shell makes of SIGXFSZ. */
export const FILE_TOO_LARGE = 128 + constants.signals.SIGXFSZ;

/** What holds agents on this machine: control groups, or else limits that each process carries. */
export class AgentLimits {
  readonly settings: LimitSettings;
  readonly #hierarchies: readonly Hierarchy[];
  readonly #disk: number;

  constructor(env: NodeJS.ProcessEnv, cgroupRoot: string = CGROUP_ROOT) {
    this.settings = limitSettings(env);
    this.#disk = diskSettings(env).agent;
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

  /** Groups for a command that the runner waits for, beside the agent's own. */
  hold(slug: string): { groups: string[]; release(): Promise<void> } {
    const name = `${slug.slice(0, 100)}-task-${randomBytes(6).toString('hex')}`;
    const groups = this.#hierarchies.map((one) => makeGroup(one, name, this.settings));
    const release = async (): Promise<void> => {
      await Promise.all(groups.map((group) => removeGroup(group)));
    };
    return { groups, release };
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

  /** Most that one file may have, in blocks of 512 bytes; empty where nothing limits it. */
  fileBlocks(): string {
    return Number.isFinite(this.#disk) ? String(Math.ceil(this.#disk / 512)) : '';
  }

  /** Nothing of the agent runs any more: notes the limit that ended it, and removes its groups. */
  async leave(run: RunDir, state: ProcessState): Promise<void> {
    const groups = groupsOf(run);
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
    const words = limitWords(this.settings, this.#disk);
    if (state.at === 'exited' && state.status === FILE_TOO_LARGE) {
      return words.disk;
    }
    const { oomKills, pidsHits } = incidents(groups);
    if (oomKills > 0) return words.memory;
    if (pidsHits > 0) return words.pids;
    return null;
  }

  #by(name: Controller): Hierarchy | undefined {
    return this.#hierarchies.find(({ controllers }) => controllers.includes(name));
  }
}

/** What is said of an agent that ended at a limit. */
export const limitWords = (
  { memory, pids }: LimitSettings,
  disk: number,
): { memory: string; pids: string; disk: string } => ({
  memory: `out of memory (limit ${showBytes(memory)})`,
  pids: `too many processes (limit ${pids})`,
  disk: `a file larger than ${showBytes(disk)}, the limit of disk`,
});

/** What would hold agents that this user runs here. Throws where a setting is not understood. */
export function limitsHere(env: NodeJS.ProcessEnv, cgroupRoot: string = CGROUP_ROOT): Limits {
  return new AgentLimits(env, cgroupRoot).report();
}

/** The groups of an epoch, whichever runner made them. */
export function groupsOf(run: RunDir): string[] {
  return (readText(run.groups) ?? '').split('\n').filter(Boolean);
}
