import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ThreadId } from '@filepath/protocol';
import { z } from 'zod';
import type { Epoch } from './epoch/epoch.ts';
import type { Place } from './executor/executor.ts';
import { readJson, syncAll, writeAtomic } from './files.ts';
import type { Home } from './home.ts';

const FIRST_UID = 20001;

const AgentFile = z.strictObject({ thread: ThreadId, uid: z.int().min(FIRST_UID).nullable() });

export type Agent = {
  thread: ThreadId;
  place: Place;
  /** Those that are not over. */
  epochs: Map<number, Epoch>;
};

/** The agents whose homes are on this machine. */
export class Agents {
  readonly #home: Home;
  readonly #byThread = new Map<ThreadId, Agent>();
  #nextUid = FIRST_UID;

  constructor(home: Home) {
    this.#home = home;
    for (const parent of [home.archive, home.agents]) {
      for (const name of readdirSync(parent)) {
        const dir = join(parent, name);
        const parsed = AgentFile.safeParse(readJson(join(dir, 'agent.json')));
        if (!parsed.success) continue;
        const { thread, uid } = parsed.data;
        // A uid is not given twice, nor one whose files are still in the archive.
        this.#nextUid = Math.max(this.#nextUid, (uid ?? 0) + 1);
        if (parent === home.agents) {
          this.#byThread.set(thread, {
            thread,
            place: { slug: name, dir, uid },
            epochs: new Map(),
          });
        }
      }
    }
  }

  all(): Agent[] {
    return [...this.#byThread.values()];
  }

  find(thread: ThreadId): Agent | undefined {
    return this.#byThread.get(thread);
  }

  /** The agent's home, made where there is none. `sync` makes it outlive a power cut. */
  ensure(thread: ThreadId, slug: string): Agent {
    const known = this.#byThread.get(thread);
    if (known !== undefined) return known;
    const dir = join(this.#home.agents, slug);
    if (existsSync(join(dir, 'agent.json'))) {
      throw new Error(`the home ${slug} belongs to another thread`);
    }
    mkdirSync(join(dir, 'run'), { recursive: true, mode: 0o700 });
    const uid = process.getuid?.() === 0 ? this.#nextUid++ : null;
    writeAtomic(join(dir, 'agent.json'), JSON.stringify({ thread, uid }));
    const agent: Agent = { thread, place: { slug, dir, uid }, epochs: new Map() };
    this.#byThread.set(thread, agent);
    return agent;
  }

  async sync(agent: Agent): Promise<void> {
    const { dir } = agent.place;
    await syncAll([join(dir, 'agent.json'), join(dir, 'run'), dir, this.#home.agents]);
  }

  /** Epochs that have a directory. */
  epochsOnDisk(agent: Agent): number[] {
    const run = join(agent.place.dir, 'run');
    if (!existsSync(run)) return [];
    return readdirSync(run)
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number);
  }

  /** Puts the home aside. Nothing of the agent runs any more. */
  async archive(agent: Agent): Promise<void> {
    const time = new Date().toISOString().replace(/[-:.]/g, '');
    renameSync(agent.place.dir, join(this.#home.archive, `${agent.place.slug}-${time}`));
    this.#byThread.delete(agent.thread);
    await syncAll([this.#home.agents, this.#home.archive]);
  }
}
