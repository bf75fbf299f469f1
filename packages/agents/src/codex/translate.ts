import type { Surroundings } from '../driver/program.ts';
import { endedWork, workOf } from './items.ts';
import type { Item, Notifications, Tokens } from './notifications.ts';

const PLAN_WORDS: Record<string, 'pending' | 'active' | 'done'> = {
  pending: 'pending',
  inProgress: 'active',
  completed: 'done',
};

/** What codex says, in FAP's words. */
export class Translator {
  #with: Pick<Surroundings, 'voice' | 'cwd'>;
  #thread: string;
  #model: string;
  /** Threads of sub-agents, by the call that made them. */
  #parents = new Map<string, string>();
  #used = { input: 0, output: 0, cacheRead: 0 };
  #total = -1;

  constructor(surroundings: Pick<Surroundings, 'voice' | 'cwd'>, thread: string, model: string) {
    this.#with = surroundings;
    this.#thread = thread;
    this.#model = model;
  }

  started(thread: string, item: Item): void {
    const work = workOf(item, this.#parentOf(thread), this.#with.cwd);
    if (work) this.#with.voice.say(work);
    this.#with.voice.working(
      item.type === 'contextCompaction' ? { reason: 'compacting its context' } : {},
    );
  }

  completed(thread: string, item: Item): void {
    const parent = this.#parentOf(thread);
    for (const child of item.receiverThreadIds ?? []) this.#parents.set(child, item.id);
    const { voice, cwd } = this.#with;
    if (item.type === 'agentMessage') this.#text(item, parent);
    else if (item.type === 'reasoning') this.#think(item, parent);
    else {
      const work = endedWork(item, parent, cwd);
      if (work) voice.say(work);
    }
    voice.working();
  }

  delta({ threadId, itemId, delta }: Notifications['item/agentMessage/delta']): void {
    if (threadId !== this.#thread) return;
    this.#with.voice.say({ type: 'text', id: itemId, partial: true, content: delta });
  }

  plan({ threadId, plan }: Notifications['turn/plan/updated']): void {
    if (threadId !== this.#thread) return;
    const steps = plan.map(({ step, status }) => ({
      title: step,
      status: PLAN_WORDS[status] ?? 'pending',
    }));
    this.#with.voice.say({ type: 'plan', steps });
  }

  tokens({ threadId, tokenUsage }: Notifications['thread/tokenUsage/updated']): void {
    const { total, last, modelContextWindow } = tokenUsage;
    if (threadId !== this.#thread) return;
    // The same total again is no new call.
    if (total.totalTokens !== this.#total) this.#count(last);
    this.#total = total.totalTokens;
    if (!modelContextWindow) return;
    this.#with.voice.working({ contextPct: last.totalTokens / modelContextWindow });
  }

  /** Says what the turn used. */
  settle(): void {
    const used = this.#used;
    this.#used = { input: 0, output: 0, cacheRead: 0 };
    if (used.input + used.output + used.cacheRead === 0) return;
    this.#with.voice.say({ type: 'usage', model: this.#model, ...used });
  }

  #count(last: Tokens): void {
    this.#used.input += Math.max(0, last.inputTokens - last.cachedInputTokens);
    this.#used.cacheRead += last.cachedInputTokens;
    this.#used.output += last.outputTokens;
  }

  #parentOf(thread: string): string | undefined {
    return thread === this.#thread ? undefined : (this.#parents.get(thread) ?? thread);
  }

  #text({ id, text }: Item, parent: string | undefined): void {
    if (!text) return;
    this.#with.voice.say(
      parent === undefined
        ? { type: 'text', id: id.slice(0, 128), content: text }
        : { type: 'log', level: 'info', message: text, parent },
    );
  }

  #think({ summary = [], content = [] }: Item, parent: string | undefined): void {
    const thoughts = summary.length > 0 ? summary : content.map(String);
    if (thoughts.length === 0) return;
    const message = thoughts.join('\n\n');
    const event = { type: 'log' as const, level: 'debug' as const, message, thinking: true };
    this.#with.voice.say(parent === undefined ? event : { ...event, parent });
  }
}
