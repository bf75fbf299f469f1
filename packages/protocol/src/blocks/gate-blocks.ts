import { GateBegun, GateResult } from '../thread/gates.ts';
import { JobResult } from '../thread/job-results.ts';
import type { Base, Block, GateBlock } from './block.ts';

export type PlacedGate = { index: number | null; block: Block };

/** Gates by their job: what began and how it ended is one block. */
export class GateBlocks {
  #open = new Map<string, { index: number; block: GateBlock }>();

  /** Null for a body that is none of a gate. `end` is where a new block goes. */
  take(base: Base, body: unknown, end: number): PlacedGate | null {
    const begun = GateBegun.safeParse(body).data;
    if (begun !== undefined) {
      const block = { ...checking(base, begun.job), attempt: begun.attempt };
      this.#open.set(begun.job, { index: end, block });
      return { index: null, block };
    }
    const result = JobResult.safeParse(body).data;
    if (result === undefined) return null;
    const open = this.#open.get(result.job);
    if (result.type === 'job_failed') {
      if (open === undefined) return null;
      this.#open.delete(result.job);
      return { index: open.index, block: { ...open.block, state: 'over', note: result.reason } };
    }
    const found = GateResult.safeParse(body).data;
    if (found === undefined) return null;
    this.#open.delete(result.job);
    const { passed, commit, clean, checks, note = null } = found;
    const before = open?.block ?? checking(base, result.job);
    const state = passed ? ('passed' as const) : ('failed' as const);
    const block = { ...before, verified: true, state, commit, clean, checks, note };
    return { index: open?.index ?? null, block };
  }
}

const checking = (base: Base, job: string): GateBlock => ({
  ...base,
  kind: 'gate',
  job,
  attempt: 1,
  state: 'checking',
  commit: null,
  clean: false,
  checks: [],
  note: null,
});
