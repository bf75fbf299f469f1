import type { Answer, Question } from '@filepath/protocol';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, Agents } from './agents.ts';
import { borrowedMirror } from './executor/borrowed-mirror.ts';
import { type Availability, Refusal } from './executor/executor.ts';
import { changesOf, type Look, touchedBy } from './git/changes.ts';
import type { Mirrors } from './git/mirrors.ts';
import { Slots } from './jobs/slots.ts';
import type { WorkspaceTools } from './jobs/workspace-command.ts';
import { reasonOf } from './log.ts';

const AT_ONCE = 2;
/** Nobody waits longer for an answer. */
const TIMEOUT_MS = 25_000;

export type QuestionsContext = WorkspaceTools & {
  agents: Agents;
  mirrors: Mirrors;
  availability: Availability;
};

/** What the worker wants to know of workspaces. Nothing of it is kept. */
export class Questions {
  readonly #context: QuestionsContext;
  readonly #slots = new Slots(AT_ONCE);
  readonly #closing = new AbortController();

  constructor(context: QuestionsContext) {
    this.#context = context;
  }

  async answer({ thread, slug, file }: Question): Promise<Answer> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([this.#closing.signal, timeout]);
    try {
      const agent = this.#context.agents.named(thread, slug);
      if (agent === undefined)
        throw new Refusal('it has no workspace yet: send it a message first');
      const changes = await this.#slots.run(() => changesOf(this.#look(agent, signal), file));
      return { kind: 'changes', changes };
    } catch (error) {
      const late = timeout.aborted ? 'the runner was busy with others: ask again' : null;
      return { kind: 'failed', reason: late ?? reasonOf(error).slice(0, 4096) };
    }
  }

  touched(agent: Agent, signal: AbortSignal): ReturnType<typeof touchedBy> {
    return touchedBy(this.#look(agent, signal));
  }

  close(): void {
    this.#closing.abort();
  }

  #look({ place }: Agent, signal: AbortSignal): Look {
    const { agents: _agents, mirrors, availability, ...tools } = this.#context;
    if (!availability.available) throw new Refusal(availability.reason ?? 'no sandbox here');
    if (!existsSync(join(place.dir, 'workspace'))) {
      throw new Refusal('it has no workspace yet: send it a message first');
    }
    return { ...tools, place, mirror: borrowedMirror(place, mirrors), signal };
  }
}
