import { goto } from '$app/navigation';
import { type Node, NodeName } from '@filepath/protocol';
import { client } from '../api.ts';
import type { CommandName } from '../text/commands.ts';
import { isPaused } from './node-actions.ts';
import type { ThreadView } from './thread-view.svelte.ts';

export type AgentDialog = 'budget' | 'restart' | 'delete';

type Parts = { node: () => Node; view: ThreadView; spawn: () => void };

/** What a person does to one agent, from its header or by a command. Failures are told above the input. */
export class AgentActions {
  dialog = $state<AgentDialog | null>(null);
  renaming = $state(false);
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get paused(): boolean {
    return isPaused(this.#parts.node());
  }

  /** Shows what went wrong where the agent is shown. */
  tell(problem: string): void {
    this.#parts.view.problem = problem;
  }

  /** False: it was refused, and the reason is shown. */
  async run(name: Exclude<CommandName, 'clear-draft' | 'help'>, argument = ''): Promise<boolean> {
    switch (name) {
      case 'stop':
      case 'resume':
      case 'handoff':
        return this.#try(() => client.thread.signal(this.#id, name));
      case 'pause':
        return this.#try(() => client.thread.signal(this.#id, 'pause', reasonIn(argument)));
      case 'restart':
      case 'budget':
        this.dialog = name;
        return true;
      case 'spawn':
        this.#parts.spawn();
        return true;
      case 'changes':
        await goto(`?node=${encodeURIComponent(this.#id)}&view=changes`);
        return true;
      case 'rename':
        if (argument !== '') return this.rename(argument);
        this.renaming = true;
        return true;
    }
  }

  async rename(name: string): Promise<boolean> {
    const node = this.#parts.node();
    const parsed = NodeName.safeParse(name);
    if (!parsed.success) {
      this.tell(`Not a name: ${parsed.error.issues[0]?.message ?? 'invalid'}.`);
      return false;
    }
    if (parsed.data === node.name) return true;
    return this.#try(() => client.node.update(node.sessionId, node.id, { name: parsed.data }));
  }

  get everyLine(): boolean {
    return this.#parts.view.everyLine;
  }

  set everyLine(every: boolean) {
    this.#parts.view.showEveryLine(every);
  }

  get exportUrl(): string {
    return `/api/thread/${encodeURIComponent(this.#id)}/export`;
  }

  get #id(): string {
    return this.#parts.node().id;
  }

  #try(work: () => Promise<unknown>): Promise<boolean> {
    return this.#parts.view.attempt(work);
  }
}

function reasonIn(argument: string): { reason?: string } {
  return argument === '' ? {} : { reason: argument.slice(0, 400) };
}
