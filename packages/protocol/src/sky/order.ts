import type { SkyEvent } from './events.ts';

type Call = 'args' | 'result';

/** Calls of tools that may be open at once in a run. */
const OPEN_CALLS = 1024;

/**
 * Follows the events of a thread and names what is out of order: one run at a time, which begins with `run.started`
 * and ends once; ids that rise; a tool's call before its arguments, and these before its result.
 */
export class SkyOrder {
  #run: string | null = null;
  #last = -1;
  #calls = new Map<string, Call>();

  /** The run that has not ended. */
  get open(): string | null {
    return this.#run;
  }

  next(event: SkyEvent): string | null {
    const { type, run_id: run, event_id: id } = event;
    if (type === 'run.started') {
      if (this.#run !== null) return `${run} starts while ${this.#run} is open`;
      this.#run = run;
      this.#last = id;
      this.#calls.clear();
      return null;
    }
    if (this.#run === null) return `${type} comes while no run is open`;
    if (this.#run !== run) return `${type} is of ${run} while ${this.#run} is open`;
    if (id <= this.#last) return `event ${id} comes after event ${this.#last}`;
    this.#last = id;
    if ('tool_call_id' in event) return this.#call(event);
    if (type === 'run.completed' && this.#calls.size > 0) {
      return `the run is completed while ${this.#calls.size} calls have no result`;
    }
    if (type === 'run.completed' || type === 'run.error') this.#run = null;
    return null;
  }

  #call(event: Extract<SkyEvent, { tool_call_id: string }>): string | null {
    const { type, tool_call_id: id } = event;
    const stands = this.#calls.get(id);
    if (type === 'tool.call.started') {
      if (stands !== undefined) return `the call ${id} starts twice`;
      if (this.#calls.size >= OPEN_CALLS) return `more than ${OPEN_CALLS} calls are open`;
      this.#calls.set(id, 'args');
      return null;
    }
    if (stands === undefined) return `${type} comes before the call ${id} starts`;
    if (type === 'tool.result') {
      // A call whose arguments were never valid has an error as its result.
      if (stands === 'args' && event.status === 'completed') {
        return `the call ${id} has a result before its arguments`;
      }
      this.#calls.delete(id);
      return null;
    }
    if (stands === 'result') return `${type} comes after the arguments of the call ${id}`;
    if (type === 'tool.call.completed') this.#calls.set(id, 'result');
    return null;
  }
}
