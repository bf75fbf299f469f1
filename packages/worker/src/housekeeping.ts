import { WorkerEntrypoint } from 'cloudflare:workers';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** For our own engine, which binds it to nothing but its private socket. Elsewhere V8 is not ours to tell. */
export class Housekeeping extends WorkerEntrypoint {
  /** Whether what nobody holds any more was collected. */
  collect(): boolean {
    const collect = (globalThis as { gc?: Collect }).gc;
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    return collect !== undefined;
  }
}
