import type { FeedState, Following } from '@filepath/client';
import type { AttentionAnswer, AttentionChange, AttentionItem } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';

/** What waits for the person, as its feed tells it. */
export class AttentionView {
  items = $state.raw<readonly AttentionItem[]>([]);
  state = $state<FeedState>('connecting');
  problem = $state<string | null>(null);
  /** What is being answered. */
  busy = $state<string | null>(null);

  #known = new Map<string, AttentionItem>();
  readonly #following: Following;

  constructor() {
    this.#following = client.attention.follow({
      onEvents: (changes) => this.#take(changes),
      onState: (state) => (this.state = state),
    });
  }

  close(): void {
    this.#following.close();
  }

  async answer(item: AttentionItem, answer: AttentionAnswer): Promise<boolean> {
    this.busy = item.id;
    this.problem = null;
    try {
      await client.attention.answer(item.id, answer);
      return true;
    } catch (error) {
      this.problem = await problemOf(error);
      return false;
    } finally {
      this.busy = null;
    }
  }

  #take(changes: readonly AttentionChange[]): void {
    for (const change of changes) {
      if (change.type === 'item') this.#known.set(change.item.id, change.item);
      else if (change.type === 'gone') this.#known.delete(change.id);
      else this.#known.clear();
    }
    this.items = [...this.#known.values()].sort((a, b) => b.at.localeCompare(a.at));
  }
}
