import {
  type Child,
  type Children,
  type ChildrenWait,
  FilepathError,
  type GoneChild,
  MAX_WAIT_SECONDS,
  type Node,
  type SpawnCreate,
  ThreadId,
  worksStill,
} from '@filepath/protocol';
import { notFound } from '../result.ts';
import type { NodeRow } from './node-row.ts';
import { partingMessage } from './partings.ts';
import type { Given, Session } from './session.ts';
import { stillWorks } from './still-works.ts';
import type { Waits } from './waits.ts';

/** Characters of last words in one answer, shared by the children in it. */
const WORDS = 256 * 1024;

/** An answer. `handed`: its name, where it tells of ends; by it the agent's runner says that the agent has it. */
export type Answered<T> = { readonly answer: T; readonly handed: string | null };

/** What one agent may ask about its direct children, and do with them. */
export class Family {
  #session: Session;
  #waits: Waits;
  #parent: ThreadId;

  constructor(session: Session, waits: Waits, parent: ThreadId) {
    this.#session = session;
    this.#waits = waits;
    this.#parent = parent;
  }

  list(): Answered<Children> {
    const rows = this.#rows();
    return { answer: { children: this.#shown(rows) }, handed: this.#hand(rows) };
  }

  check(child: ThreadId): null {
    if (this.#rows().some(({ id }) => id === child)) return null;
    const parting = this.#session.partings.find(this.#parent, child);
    if (!parting) throw notFound('this child');
    throw new FilepathError('not_found', partingMessage(parting));
  }

  /** The child's thread is answered up to here. */
  shows(child: ThreadId, seq: number): Answered<null> {
    this.check(child);
    return { answer: null, handed: this.#waits.handed.give(this.#parent, new Map([[child, seq]])) };
  }

  /** The agent has an answer: what it tells of an end is read, and not told once more. */
  has(handed: string): null {
    const ends = this.#waits.handed.take(this.#parent, handed);
    for (const [child, seq] of ends) {
      this.#session.results.read(child, seq);
      this.#session.partings.told(this.#parent, child);
    }
    return null;
  }

  told(child: ThreadId, seq: number): null {
    this.check(child);
    this.#session.results.sent(child, seq);
    return null;
  }

  /** The kind of agent that is asked for. */
  agentTypeOf({ agent }: SpawnCreate): string {
    return agent ?? this.#session.node(this.#parent).agentType;
  }

  spawn(wish: SpawnCreate, given: Given): Child {
    const { id } = this.#session.spawn(this.#parent, wish, given);
    const row = this.#session.nodes.find(id);
    if (!row) throw notFound('this child');
    return this.#child(row, WORDS);
  }

  halt(child: ThreadId): null {
    this.check(child);
    this.#session.halt(child);
    return null;
  }

  /** Until none of them works, or the time is over. `id`: by which it can be broken off. */
  async wait(
    { children, seconds = MAX_WAIT_SECONDS }: ChildrenWait,
    id: string = crypto.randomUUID(),
  ): Promise<Answered<Children>> {
    for (const child of children ?? []) if (!this.#goneOf(child)) this.check(child);
    const among = new Set<string>(children ?? this.#rows().map(({ id: child }) => child));
    const over = (): boolean => !rows().some((row) => this.#works(row));
    const rows = (): NodeRow[] => this.#rows().filter((row) => among.has(row.id));
    const gone = (): GoneChild[] => [...among].flatMap((child) => this.#goneOf(child) ?? []);
    const epoch = this.#session.starts.epochOf(this.#parent);
    let handed: string | null = null;
    const ended = (): void => {
      // Whoever has ended meanwhile does not get the answer; nor does the process that has taken its place.
      const parent = this.#session.nodes.find(this.#parent);
      if (epoch !== this.#session.starts.epochOf(this.#parent)) return;
      if (parent && worksStill(this.#node(parent).status, parent.reason)) {
        handed = this.#hand(rows(), gone());
      }
    };
    const wait = { id, parent: this.#parent, children: among, over, ended };
    await this.#waits.wait(wait, seconds * 1000);
    const left = gone();
    const answer = { children: this.#shown(rows()), ...(left.length > 0 && { gone: left }) };
    return { answer, handed };
  }

  breakOff(wait: string): null {
    this.#waits.breakOff(this.#parent, wait);
    return null;
  }

  /** A child that a person took away. */
  #goneOf(child: string): GoneChild | null {
    const parting = this.#session.partings.find(this.#parent, child);
    return parting && { id: ThreadId.parse(child), name: parting.name, how: parting.how };
  }

  #hand(rows: readonly NodeRow[], gone: readonly GoneChild[] = []): string | null {
    const ended = rows.filter((row) => !this.#works(row));
    const ends = new Map<string, number>([
      ...ended.map((row) => [row.id, row.thread_seq] as const),
      ...gone.map(({ id }) => [id, 0] as const),
    ]);
    return this.#waits.handed.give(this.#parent, ends);
  }

  #shown(rows: readonly NodeRow[]): Child[] {
    const most = Math.floor(WORDS / Math.max(1, rows.length));
    return rows.map((row) => this.#child(row, most));
  }

  #rows(): NodeRow[] {
    return this.#session.nodes.childrenOf(this.#parent);
  }

  #works(row: NodeRow): boolean {
    return stillWorks(row, this.#session.results.sentTo(row.id));
  }

  #child(row: NodeRow, most: number): Child {
    const { id, name, agentType, model, status, reason, queue, subtree } = this.#node(row);
    const last = this.#session.results.last(row.id);
    const works = this.#works(row);
    const result =
      works || last === null
        ? null
        : { outcome: last.outcome, words: last.words?.slice(0, most) ?? null };
    return { id, name, agentType, model, status, reason, queue, works, result, usage: subtree };
  }

  #node(row: NodeRow): Node {
    return this.#session.node(ThreadId.parse(row.id));
  }
}
