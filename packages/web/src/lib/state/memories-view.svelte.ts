import type { Memory, MemoryScope } from '@filepath/protocol';
import { problemOf } from '../api.ts';
import { memories } from '../memory-api.ts';

/** The page of what is remembered. */
export class MemoriesView {
  memories = $state.raw<readonly Memory[] | null>(null);
  total = $state(0);
  q = $state('');
  scope = $state<MemoryScope | ''>('');
  problem = $state<string | null>(null);
  /** What is shown is not all. */
  narrowed = $derived(this.q.trim() !== '' || this.scope !== '');
  #asked = 0;

  widen(): void {
    this.q = '';
    this.scope = '';
  }

  /** What was asked for last is shown, whatever is answered first. */
  async load(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const q = this.q.trim();
    try {
      const found = await memories.list({
        q: q === '' ? undefined : q,
        scope: this.scope === '' ? undefined : this.scope,
        limit: 200,
      });
      if (asked !== this.#asked) return;
      this.memories = found.memories;
      this.total = found.total;
      this.problem = null;
    } catch (error) {
      if (asked === this.#asked) this.problem = await problemOf(error);
    }
  }

  add(content: string): Promise<boolean> {
    return this.#change(() => memories.add({ content }));
  }

  update(id: string, content: string): Promise<boolean> {
    return this.#change(() => memories.update(id, { content }));
  }

  remove(id: string): Promise<boolean> {
    return this.#change(() => memories.delete(id));
  }

  async #change(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      this.problem = await problemOf(error);
      return false;
    }
    await this.load();
    return true;
  }
}
