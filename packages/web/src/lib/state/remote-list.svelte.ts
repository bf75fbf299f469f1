import { problemOf } from '../api.ts';

/** A list that the server has. Null items: it has not been read yet. */
export class RemoteList<T> {
  items = $state.raw<readonly T[] | null>(null);
  problem = $state<string | null>(null);
  busy = $state(false);

  readonly #read: () => Promise<readonly T[]>;

  constructor(read: () => Promise<readonly T[]>) {
    this.#read = read;
  }

  async load(): Promise<void> {
    try {
      this.items = await this.#read();
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }

  /** Does something to the list and reads it anew; says whether it was done. */
  async change(work: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    try {
      await work();
      await this.load();
      return true;
    } catch (error) {
      this.problem = await problemOf(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
