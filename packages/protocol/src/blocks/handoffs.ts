import { z } from 'zod';
import { SystemHandoff, SystemHandoffLimit } from '../thread/handoff.ts';
import type { Base, Block, HandoffBlock } from './block.ts';

const Told = z.discriminatedUnion('type', [
  z.looseObject(SystemHandoff.shape),
  z.looseObject(SystemHandoffLimit.shape),
]);

/** The handoffs of a thread: what an agent left and who goes on with it are one block. */
export class Handoffs {
  /** Where the block of an agent's `handoff` is, by its seq. */
  #open = new Map<number, number>();

  add(seq: number, index: number): void {
    this.#open.set(seq, index);
  }

  /** The block that the control plane's word on a handoff makes, and which one it replaces; null for another body. */
  take(
    base: Base,
    body: unknown,
    at: (index: number) => Block | undefined,
  ): { index: number | null; block: Block } | null {
    const { data } = Told.safeParse(body);
    if (data === undefined) return null;
    if (data.type === 'handoff_limit') {
      const { reason } = data;
      const notice = { kind: 'notice', level: 'error', text: reason, detail: null } as const;
      return { index: null, block: { ...base, ...notice } };
    }
    const { why, from, to, content } = data;
    const next = { why, from, to, content };
    const index = data.handoff === null ? undefined : this.#open.get(data.handoff);
    const before = index === undefined ? undefined : at(index);
    if (index === undefined || before?.kind !== 'handoff') {
      return { index: null, block: { ...base, kind: 'handoff', summary: null, next } };
    }
    const block: HandoffBlock = { ...before, next };
    return { index, block };
  }
}
