import type { Answer, MachineCheck, Question, ToolWork } from '@filepath/protocol';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, Agents } from './agents.ts';
import { runTool } from './chat-tool/run-tool.ts';
import { borrowedMirror } from './executor/borrowed-mirror.ts';
import { type Availability, Refusal, type RunTask } from './executor/executor.ts';
import { checkRepository } from './git/check-repository.ts';
import { changesOf, type Look, touchedBy } from './git/changes.ts';
import { filesLike } from './git/files.ts';
import type { Mirrors } from './git/mirrors.ts';
import { Slots } from './jobs/slots.ts';
import type { WorkspaceTools } from './jobs/workspace-command.ts';
import { reasonOf } from './log.ts';

const AT_ONCE = 2;
/** Nobody waits longer for an answer. */
const TIMEOUT_MS = 25_000;

type OfWorkspace = Extract<Question, { kind: 'changes' | 'files' }>;

export type QuestionsContext = WorkspaceTools & {
  agents: Agents;
  mirrors: Mirrors;
  availability: Availability;
  /** Where tools of chats run. */
  chatTools: { parent: string; task: RunTask };
  /** What is needed on this machine, and whether it is there. */
  checks?: (() => Promise<MachineCheck[]>) | undefined;
};

/** What the worker wants to know of workspaces, repositories and the machine. Nothing of it is kept. */
export class Questions {
  readonly #context: QuestionsContext;
  readonly #slots = new Slots(AT_ONCE);
  /** Remotes may be slow: those who look at workspaces do not wait for them. */
  readonly #remoteSlots = new Slots(AT_ONCE);
  /** Those of chats run as one user, and so one at a time. */
  readonly #toolSlots = new Slots(1);
  readonly #closing = new AbortController();

  constructor(context: QuestionsContext) {
    this.#context = context;
  }

  async answer(question: Question): Promise<Answer> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([this.#closing.signal, timeout]);
    try {
      return await this.#find(question, signal);
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

  #find(question: Question, signal: AbortSignal): Promise<Answer> {
    switch (question.kind) {
      case 'changes':
      case 'files':
        return this.#workspace(question, signal);
      case 'repository':
        return this.#repository(question.repository, signal);
      case 'checks':
        return this.#checks();
      case 'tool':
        return this.#tool(question.work, signal);
    }
  }

  async #checks(): Promise<Answer> {
    const checks = (await this.#context.checks?.()) ?? [];
    return { kind: 'checks', checks: checks.slice(0, 32) };
  }

  async #tool(work: ToolWork, signal: AbortSignal): Promise<Answer> {
    const { availability, chatTools } = this.#context;
    if (!availability.available) throw new Refusal(availability.reason ?? 'no sandbox here');
    const done = await this.#toolSlots.run(() => runTool(chatTools, work, signal));
    return { kind: 'tool', done };
  }

  async #workspace(question: OfWorkspace, signal: AbortSignal): Promise<Answer> {
    const agent = this.#context.agents.named(question.thread, question.slug);
    if (agent === undefined) throw new Refusal('it has no workspace yet: send it a message first');
    return this.#slots.run(async () => {
      const look = this.#look(agent, signal);
      if (question.kind === 'files') {
        return { kind: 'files', found: await filesLike(look, question.query) };
      }
      return { kind: 'changes', changes: await changesOf(look, question.file) };
    });
  }

  async #repository(repository: string, signal: AbortSignal): Promise<Answer> {
    const { mirrors, env } = this.#context;
    const found = await this.#remoteSlots.run(() =>
      checkRepository(repository, { mirrors, env, signal }),
    );
    return { kind: 'repository', found };
  }

  #look({ place }: Agent, signal: AbortSignal): Look {
    const {
      agents: _agents,
      checks: _checks,
      chatTools: _chatTools,
      mirrors,
      availability,
      ...tools
    } = this.#context;
    if (!availability.available) throw new Refusal(availability.reason ?? 'no sandbox here');
    if (!existsSync(join(place.dir, 'workspace'))) {
      throw new Refusal('it has no workspace yet: send it a message first');
    }
    return { ...tools, place, mirror: borrowedMirror(place, mirrors), signal };
  }
}
