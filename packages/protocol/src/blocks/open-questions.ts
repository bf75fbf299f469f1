/** The decision blocks that have no answer yet, found again by the id of what was asked. */
export class OpenQuestions {
  #byId = new Map<string, number>();

  /** Gives the block back that asked under the same id before: the agent has taken that question back. */
  add(id: string, index: number): number | undefined {
    const before = this.#byId.get(id);
    this.#byId.set(id, index);
    return before;
  }

  take(id: string): number | undefined {
    const index = this.#byId.get(id);
    this.#byId.delete(id);
    return index;
  }

  /** All of them: the process that asked is gone. */
  takeAll(): number[] {
    const all = [...this.#byId.values()];
    this.#byId.clear();
    return all;
  }
}
