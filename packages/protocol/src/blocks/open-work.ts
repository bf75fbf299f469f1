import type { AgentEvent } from '../fap/events.ts';

type WorkEvent = Extract<AgentEvent, { type: 'tool' | 'command' }>;

/**
 * The tool and command blocks that have started and not ended, found again by the event that ends them: by its
 * `id`, else by its step, else the latest of the same name and path, or of the same command line.
 */
export class OpenWork {
  #byKey = new Map<string, number[]>();
  #open = new Set<number>();

  /** The index of the block that the event continues. A `start` continues only a block that has its `id`. */
  find(event: WorkEvent, step: string | null): number | undefined {
    if (event.id !== undefined) {
      const known = this.#latest(key('id', event.type, event.id));
      if (known !== undefined || event.status === 'start') return known;
    }
    if (event.status === 'start') return undefined;
    // A block with an id of its own is ended by that id, or by an event that has none.
    const among = event.id === undefined ? 'any' : 'unnamed';
    for (const name of namesOf(event, step)) {
      const found = this.#latest(key(among, event.type, name));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  add(index: number, event: WorkEvent, step: string | null): void {
    this.#open.add(index);
    if (event.id !== undefined) this.#push(key('id', event.type, event.id), index);
    const names = namesOf(event, step);
    if (event.type === 'tool') names.push(pathless(event.name));
    for (const name of names) {
      this.#push(key('any', event.type, name), index);
      if (event.id === undefined) this.#push(key('unnamed', event.type, name), index);
    }
  }

  close(index: number): void {
    this.#open.delete(index);
  }

  #push(at: string, index: number): void {
    const list = this.#byKey.get(at);
    if (list === undefined) this.#byKey.set(at, [index]);
    else list.push(index);
  }

  /** Blocks closed under another key are dropped on the way, so that each is looked at once. */
  #latest(at: string): number | undefined {
    const list = this.#byKey.get(at);
    if (list === undefined) return undefined;
    while (list.length > 0) {
      const index = list[list.length - 1];
      if (index !== undefined && this.#open.has(index)) return index;
      list.pop();
    }
    this.#byKey.delete(at);
    return undefined;
  }
}

function key(kind: string, type: string, name: string): string {
  return `${kind}\n${type}\n${name}`;
}

function namesOf(event: WorkEvent, step: string | null): string[] {
  const name = event.type === 'tool' ? event.name : event.cmd;
  const names = step === null ? [] : [JSON.stringify(['step', step, name])];
  if (event.type === 'command') names.push(JSON.stringify(['cmd', name]));
  else if (event.path === undefined) names.push(pathless(name));
  else names.push(JSON.stringify(['path', name, event.path]));
  return names;
}

function pathless(name: string): string {
  return JSON.stringify(['name', name]);
}
