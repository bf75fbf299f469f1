import { AgentEvent } from '../fap/events.ts';
import { SpawnOutcome, SystemWorkers } from '../thread/bodies.ts';
import { isVerified, type LogEvent } from '../thread/log-event.ts';
import type { QueuedMessage } from '../thread/queue.ts';
import type { Base, Block, QueuedBlock, TextBlock } from './block.ts';
import { Drafts } from './drafts.ts';
import { blobBlock, unknownBlock } from './fallback.ts';
import { agentBlock } from './from-agent.ts';
import { answerIn, controlBlock } from './from-control.ts';
import { Handoffs } from './handoffs.ts';
import { endsByLimit, limitBlock } from './from-limit.ts';
import { jobBlock } from './from-job.ts';
import { memoriesBlock } from './from-memories.ts';
import { CHECKING, PROGRESS, runnerBlock } from './from-runner.ts';
import { commandBlock, toolBlock } from './from-work.ts';
import { GateBlocks } from './gate-blocks.ts';
import { GatewayBlocks } from './gateway-blocks.ts';
import { overlapBlock } from './merge-words.ts';
import { type Commit, KnownCommits } from './known-commits.ts';
import { OpenQuestions } from './open-questions.ts';
import { OpenWork } from './open-work.ts';
import { QueuedMessages } from './queued-messages.ts';
import { SkyBlocks } from './sky-blocks.ts';

/**
 * Turns a thread into what it shows, event by event. Blocks are never changed in place: a block that an event
 * changes is replaced by a new object with the same `id`.
 */
export class BlockReducer {
  #list: Block[] = [];
  #shown: readonly Block[] = [];
  #stale = false;
  #last = 0;
  #at = new Date(0).toISOString();
  #work = new OpenWork();
  #spawns = new Map<number, number>();
  #questions = new OpenQuestions();
  #handoffs = new Handoffs();
  /** Its process is being ended at a provider's limit. */
  #limited = false;
  #drafts = new Drafts();
  #queued = new QueuedMessages();
  /** Commits that the last block does not hold yet: joined when it is read or ends. */
  #commits: Commit[] = [];
  #known = new KnownCommits();
  #gateway = new GatewayBlocks();
  #gates = new GateBlocks();
  #sky = new SkyBlocks();
  /** Where the children of the agent stand. */
  #children: number | null = null;

  /** Events come in the order of their seq; one that was there before is ignored. */
  push(events: readonly LogEvent[]): void {
    for (const event of events) {
      if (!(event.seq > this.#last)) continue;
      this.#last = event.seq;
      this.#at = event.at;
      this.#stale = true;
      this.#take(event);
    }
  }

  /** The whole of a text that is still being written. */
  draft(id: string, content: string): void {
    this.#drafts.set(id, content, this.#last, this.#at);
    this.#stale = true;
  }

  /** The next piece of a text that is still being written. */
  delta(id: string, delta: string): void {
    this.#drafts.append(id, delta, this.#last, this.#at);
    this.#stale = true;
  }

  /** Messages that came into the queue before the first event that is pushed, and still wait. */
  waiting(messages: readonly QueuedMessage[], state: QueuedBlock['state']): void {
    for (const message of messages) this.#queued.seed(message, state);
    this.#stale = true;
  }

  /** Takes over what is still being written, from the reducer whose place this one takes. */
  continueDraftsOf(other: BlockReducer): void {
    this.#drafts = other.#drafts;
    this.#stale = true;
  }

  /** The same array until something changes. */
  get blocks(): readonly Block[] {
    if (this.#stale) {
      this.#joinCommits();
      this.#shown = [...this.#list, ...this.#drafts.blocks(), ...this.#queued.blocks()];
      this.#stale = false;
    }
    return this.#shown;
  }

  #take(event: LogEvent): void {
    const base = baseOf(event);
    const blob = blobBlock(base, event.body);
    if (blob) return this.#add(blob);
    switch (event.source) {
      case 'fap': {
        const parsed = AgentEvent.safeParse(event.body);
        if (parsed.success) return this.#agent(base, parsed.data, event.step);
        break;
      }
      case 'runner': {
        const block = runnerBlock(base, event.body, { limited: this.#limited });
        if (endsProcess(event.body)) {
          this.#questions.takeAll().forEach((at) => this.#endQuestion(at));
          this.#limited = false;
        }
        if (block) return this.#runner(block);
        break;
      }
      case 'gateway': {
        const placed = this.#gateway.take(base, event, this.#list.length);
        if (!placed) break;
        placed.forEach((one) => this.#place(one));
        return;
      }
      case 'sky': {
        const placed = this.#sky.take(base, event.body, this.#list.length);
        if (!placed) break;
        placed.forEach((one) => this.#place(one));
        return;
      }
      case 'user':
      case 'parent':
      case 'system': {
        if (this.#answered(event.body)) return;
        if (this.#queued.take(base, event.source, event.body)) return;
        const block = controlBlock(base, event.source, event.body);
        if (block) return this.#add(block);
        if (event.source !== 'system') break;
        const gate = this.#gates.take(base, event.body, this.#list.length);
        if (gate?.index === null) return this.#add(gate.block);
        if (gate) return void (this.#list[gate.index] = gate.block);
        const handoff = this.#handoffs.take(base, event.body, (index) => this.#list[index]);
        if (handoff) return this.#place(handoff);
        const limit = limitBlock(base, event.body);
        if (limit) {
          this.#limited ||= endsByLimit(event.body);
          return this.#add(limit);
        }
        const result =
          jobBlock(base, event.body) ??
          memoriesBlock(base, event.body) ??
          this.#queued.stand(base, event.body) ??
          overlapBlock(base, event.body);
        if (result) return this.#add(result);
        if (this.#spawned(base, event.body)) return;
        if (this.#workers(base, event.body)) return;
      }
    }
    this.#add(unknownBlock(base, event));
  }

  #agent(base: Base, event: AgentEvent, step: string | null): void {
    const last = this.#list.at(-1);
    switch (event.type) {
      case 'tool':
      case 'command':
        return this.#advanceWork(base, event, step);
      case 'commit':
        return this.#commit(base, {
          hash: event.hash,
          message: event.message,
          verified: false,
          branch: null,
        });
      case 'status':
        if (last?.kind !== 'status') break;
        this.#list[this.#list.length - 1] = {
          ...last,
          at: base.at,
          state: event.state,
          reason: event.reason ?? null,
          contextPct: event.context_pct ?? last.contextPct,
        };
        return;
      case 'spawn':
        this.#spawns.set(base.seq, this.#list.length);
        break;
      case 'handoff':
        this.#limited = false;
        this.#handoffs.add(base.seq, this.#list.length);
        break;
      case 'decision': {
        const before = this.#questions.add(event.id, this.#list.length);
        if (before !== undefined) this.#endQuestion(before);
        break;
      }
      case 'text':
        if (event.id !== undefined) return this.#finish(base, event, event.id);
        break;
    }
    this.#add(agentBlock(base, event));
  }

  /** A finished text takes the place and the id of its draft. */
  #finish(base: Base, event: AgentEvent, id: string): void {
    const draft: TextBlock | undefined = this.#drafts.take(id);
    this.#add(agentBlock(draft === undefined ? base : { ...base, id: draft.id }, event));
  }

  #advanceWork(
    base: Base,
    event: Extract<AgentEvent, { type: 'tool' | 'command' }>,
    step: string | null,
  ): void {
    const index = this.#work.find(event, step);
    const before = index === undefined ? undefined : this.#list[index];
    if (index === undefined || before === undefined) {
      if (event.status === 'start') this.#work.add(this.#list.length, event, step);
      return this.#add(agentBlock(base, event));
    }
    if (event.status !== 'start') this.#work.close(index);
    if (event.type === 'tool' && before.kind === 'tool') {
      this.#list[index] = toolBlock(headOf(before), event, before, base.at);
    } else if (event.type === 'command' && before.kind === 'command') {
      this.#list[index] = commandBlock(headOf(before), event, before, base.at);
    }
  }

  #answered(body: unknown): boolean {
    const answer = answerIn(body);
    const index = answer === null ? undefined : this.#questions.take(answer.id);
    const block = index === undefined ? undefined : this.#list[index];
    if (answer === null || index === undefined || block?.kind !== 'decision') return false;
    this.#list[index] = {
      ...block,
      state: 'answered',
      choice: answer.choice,
      byRule: answer.rule !== undefined,
    };
    return true;
  }

  #endQuestion(index: number): void {
    const block = this.#list[index];
    if (block?.kind === 'decision') this.#list[index] = { ...block, state: 'over' };
  }

  #spawned(base: Base, body: unknown): boolean {
    const parsed = SpawnOutcome.safeParse(body);
    if (!parsed.success) return false;
    const { data } = parsed;
    const outcome =
      data.type === 'spawned'
        ? { state: 'created' as const, node: data.node, reason: null }
        : { state: 'failed' as const, node: null, reason: data.reason };
    const index = data.spawn === undefined ? undefined : this.#spawns.get(data.spawn);
    const block = index === undefined ? undefined : this.#list[index];
    if (index !== undefined && block?.kind === 'spawn') {
      this.#list[index] = { ...block, name: data.name, ...outcome };
    } else if (data.type === 'spawned' && data.agent !== undefined) {
      const { name, agent, model = '', task = null } = data;
      this.#add({ ...base, kind: 'spawn', name, agent, model, task, ...outcome });
    } else if (data.type === 'spawned') {
      this.#add({
        ...base,
        kind: 'notice',
        level: 'info',
        text: `spawned ${data.name}`,
        detail: null,
      });
    } else {
      const text = `could not spawn ${data.name}: ${data.reason}`;
      this.#add({ ...base, kind: 'notice', level: 'error', text, detail: null });
    }
    return true;
  }

  /** The children stand in one place, as they are now. */
  #workers(base: Base, body: unknown): boolean {
    const parsed = SystemWorkers.safeParse(body);
    if (!parsed.success) return false;
    const workers = parsed.data.workers.map(({ reason = null, ...each }) => ({ ...each, reason }));
    const before = this.#children === null ? undefined : this.#list[this.#children];
    if (this.#children !== null && before?.kind === 'workers') {
      this.#list[this.#children] = { ...before, workers };
      return true;
    }
    this.#joinCommits();
    this.#children = this.#list.length;
    this.#add({ ...base, kind: 'workers', by: 'system', workers });
    return true;
  }

  #runner(block: Block): void {
    const last = this.#list.at(-1);
    if (block.kind === 'commits') {
      for (const commit of block.commits) this.#commit(block, commit);
    } else if (block.kind === 'notice' && last?.kind === 'notice' && follows(last, block)) {
      this.#list[this.#list.length - 1] = { ...block, id: last.id, seq: last.seq };
    } else this.#add(block);
  }

  /** What the runner saw and the agent said is one commit, whoever was first. */
  #commit(base: Base, commit: Commit): void {
    const known = this.#known.find(commit.hash);
    const shown = known === undefined ? undefined : this.#shownCommit(known);
    if (known !== undefined && shown !== undefined) {
      if (shown.verified) return;
      if (commit.verified) {
        const { hash, branch } = commit;
        return this.#verify(known, { ...shown, hash, branch, verified: true });
      }
    }
    const last = this.#list.at(-1);
    if (last?.kind === 'commits') {
      const place = last.commits.length + this.#commits.length;
      this.#known.add(commit.hash, this.#list.length - 1, place);
      this.#commits.push(commit);
      return;
    }
    this.#known.add(commit.hash, this.#list.length, 0);
    const { verified } = commit;
    this.#add({ ...headOf(base), verified, kind: 'commits', commits: [commit] });
  }

  #shownCommit({ block, place }: { block: number; place: number }): Commit | undefined {
    const found = this.#list[block];
    if (found?.kind !== 'commits') return undefined;
    return found.commits[place] ?? this.#commits[place - found.commits.length];
  }

  #verify({ block, place }: { block: number; place: number }, commit: Commit): void {
    const found = this.#list[block];
    if (found?.kind !== 'commits') return;
    if (place >= found.commits.length) {
      this.#commits[place - found.commits.length] = commit;
      return;
    }
    const commits = found.commits.with(place, commit);
    const verified = commits.every((each) => each.verified);
    this.#list[block] = { ...found, commits, verified };
  }

  #place({ index, block }: { index: number | null; block: Block }): void {
    if (index === null) this.#add(block);
    else this.#list[index] = block;
  }

  #add(block: Block): void {
    this.#joinCommits();
    this.#list.push(block);
  }

  #joinCommits(): void {
    const last = this.#list.at(-1);
    if (this.#commits.length === 0 || last?.kind !== 'commits') return;
    const commits = [...last.commits, ...this.#commits];
    const verified = commits.every((each) => each.verified);
    this.#list[this.#list.length - 1] = { ...last, commits, verified };
    this.#commits = [];
  }
}

function endsProcess(body: unknown): boolean {
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : null;
  return type === 'exit' || type === 'refused';
}

/** Whether the second notice tells how the first goes on. */
function follows(first: { text: string }, second: { text: string }): boolean {
  if (first.text === CHECKING) return second.text.startsWith('workspace: ');
  return first.text === second.text && PROGRESS.has(first.text);
}

/** The blocks of a whole log. */
export function toBlocks(events: readonly LogEvent[]): readonly Block[] {
  const reducer = new BlockReducer();
  reducer.push(events);
  return reducer.blocks;
}

function baseOf(event: LogEvent): Base {
  const { seq, at, source } = event;
  return { id: `e${seq}`, seq, at, verified: isVerified(source) };
}

function headOf({ id, seq, at, verified }: Base): Base {
  return { id, seq, at, verified };
}
