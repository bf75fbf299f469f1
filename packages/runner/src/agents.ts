import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type StopOrder, ThreadId, type FreezeOrder } from '@filepath/protocol';
import { z } from 'zod';
import { epochsIn, ownerOf, readJsonOrNull, threadByOrders } from './damaged-home.ts';
import type { Standstill } from './epoch/pauser.ts';
import type { Place } from './executor/executor.ts';
import { readText, syncAll, writeAtomic, writeDurable } from './files.ts';
import type { Home } from './home.ts';

const FIRST_UID = 20001;

const AgentFile = z.strictObject({ thread: ThreadId, uid: z.int().min(FIRST_UID).nullable() });

/** An epoch that this runner looks after. */
export type Held = {
  stop(order: StopOrder): Promise<void>;
  freeze(order: FreezeOrder): Promise<void>;
  standStill(inputs: number): Promise<Standstill>;
  end(reason: string): Promise<void>;
  close(): Promise<void>;
};

export type Agent = {
  thread: ThreadId;
  place: Place;
  /** `agent.json` cannot be read. */
  damaged: boolean;
  /** Those that are not over. */
  epochs: Map<number, Held>;
};

/** The agents whose homes are on this machine. */
export class Agents {
  readonly #home: Home;
  readonly #byThread = new Map<ThreadId, Agent>();
  /** Homes that nothing readable gives to a thread, by slug. */
  readonly #nameless = new Map<string, Place>();
  #nextUid = FIRST_UID;

  constructor(home: Home) {
    this.#home = home;
    const damaged: string[] = [];
    this.#nextUid = Math.max(
      FIRST_UID,
      Number.parseInt(readText(home.lastUid) ?? '0', 10) + 1 || 0,
    );
    for (const parent of [home.archive, home.agents]) {
      for (const slug of directories(parent)) {
        const dir = join(parent, slug);
        const file = AgentFile.safeParse(readJsonOrNull(join(dir, 'agent.json'))).data;
        // A uid is not given twice, nor one whose files are still in the archive.
        const uid = Math.max(file?.uid ?? 0, ownerOf(dir) ?? 0);
        this.#nextUid = Math.max(this.#nextUid, uid + 1);
        if (parent !== home.agents) continue;
        if (file === undefined) damaged.push(slug);
        else this.#add({ thread: file.thread, place: { slug, dir, uid: file.uid } }, false);
      }
    }
    for (const slug of damaged) this.#recover(slug);
  }

  all(): Agent[] {
    return [...this.#byThread.values()];
  }

  nameless(): Place[] {
    return [...this.#nameless.values()];
  }

  find(thread: ThreadId): Agent | undefined {
    return this.#byThread.get(thread);
  }

  /** The thread's agent; an order that names a nameless home says whose it is. */
  named(thread: ThreadId, slug: string): Agent | undefined {
    const known = this.#byThread.get(thread);
    if (known !== undefined) return known;
    const place = this.#nameless.get(slug);
    if (place === undefined) return undefined;
    this.#nameless.delete(slug);
    return this.#add({ thread, place }, true);
  }

  /** The agent's home, made where there is none. `sync` makes it outlive a power cut. */
  ensure(thread: ThreadId, slug: string): Agent {
    const known = this.named(thread, slug);
    if (known !== undefined) return known;
    const dir = join(this.#home.agents, slug);
    if (this.all().some((agent) => agent.place.slug === slug)) {
      throw new Error(`the home ${slug} belongs to another thread`);
    }
    mkdirSync(join(dir, 'run'), { recursive: true, mode: 0o700 });
    const uid = process.getuid?.() === 0 ? this.#nextUid++ : null;
    writeAtomic(join(dir, 'agent.json'), JSON.stringify({ thread, uid }));
    return this.#add({ thread, place: { slug, dir, uid } }, false);
  }

  /** Writes `agent.json` anew. What could not be gone on with has been ended. */
  async mend(agent: Agent): Promise<void> {
    const { thread, place } = agent;
    mkdirSync(join(place.dir, 'run'), { recursive: true, mode: 0o700 });
    writeAtomic(join(place.dir, 'agent.json'), JSON.stringify({ thread, uid: place.uid }));
    await this.sync(agent);
    agent.damaged = false;
  }

  async sync(agent: Agent): Promise<void> {
    const { dir } = agent.place;
    await syncAll([join(dir, 'agent.json'), join(dir, 'run'), dir, this.#home.agents]);
  }

  /** Epochs that have a directory, in order. */
  epochsOnDisk(agent: Agent): number[] {
    return epochsIn(agent.place.dir);
  }

  /** Remembers which uids were given, also when no file is left that has them. */
  async keepUids(): Promise<void> {
    await writeDurable(this.#home.lastUid, `${this.#nextUid - 1}\n`);
  }

  /** Puts the home aside. Nothing of the agent runs any more. */
  async archive(agent: Agent): Promise<void> {
    const time = new Date().toISOString().replace(/[-:.]/g, '');
    renameSync(agent.place.dir, join(this.#home.archive, `${agent.place.slug}-${time}`));
    this.#byThread.delete(agent.thread);
    await syncAll([this.#home.agents, this.#home.archive]);
  }

  #add(of: { thread: ThreadId; place: Place }, damaged: boolean): Agent {
    const agent: Agent = { ...of, damaged, epochs: new Map() };
    this.#byThread.set(of.thread, agent);
    return agent;
  }

  #recover(slug: string): void {
    const dir = join(this.#home.agents, slug);
    const owner = ownerOf(dir);
    const known = owner !== null && owner >= FIRST_UID ? owner : null;
    const uid = process.getuid?.() === 0 ? (known ?? this.#nextUid++) : null;
    const place = { slug, dir, uid };
    const thread = threadByOrders(dir, slug);
    if (thread !== null && !this.#byThread.has(thread)) this.#add({ thread, place }, true);
    else this.#nameless.set(slug, place);
  }
}

function directories(parent: string): string[] {
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}
