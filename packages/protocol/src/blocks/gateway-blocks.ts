import { GatewayBody, type GatewayCall } from '../gateway/events.ts';
import { totalTokens } from '../gateway/usage.ts';
import type { LogEvent } from '../thread/log-event.ts';
import type { Base, Block, NoticeBlock } from './block.ts';
import { CallTally } from './call-tally.ts';
import { callNotice, type GatewayNotice, refusalNotice } from './from-gateway.ts';

/** Where a block goes: at the end, or in the place of one that is there. */
export type Placed = { readonly index: number | null; readonly block: Block };

/** What the gateway metered and refused: one quiet block for the calls of a run, and notices of what went wrong. */
export class GatewayBlocks {
  #runs = new Map<string | null, { index: number; tally: CallTally }>();
  #last: { index: number; key: string; count: number; block: NoticeBlock } | null = null;

  /** `length` is how many blocks there are. Null: no body of the gateway. */
  take(base: Base, event: LogEvent, length: number): Placed[] | null {
    const parsed = GatewayBody.safeParse(event.body);
    if (!parsed.success) return null;
    const { data } = parsed;
    if (data.type === 'refused') return [this.#notice(base, refusalNotice(data), length)];
    const placed = counts(data) ? [this.#count(base, event.run, data, length)] : [];
    const notice = callNotice(data, event.at);
    const end = length + placed.filter(({ index }) => index === null).length;
    return notice ? [...placed, this.#notice(base, notice, end)] : placed;
  }

  #count(base: Base, run: string | null, call: GatewayCall, length: number): Placed {
    const known = this.#runs.get(run);
    if (known) return { index: known.index, block: known.tally.add(call) };
    const tally = new CallTally(base, run);
    this.#runs.set(run, { index: length, tally });
    return { index: null, block: tally.add(call) };
  }

  #notice(base: Base, notice: GatewayNotice, length: number): Placed {
    const last = this.#last;
    const follows = last !== null && last.index === length - 1 && last.key === notice.key;
    const count = notice.count + (follows ? last.count : 0);
    const { id, seq } = follows ? last.block : { ...base, id: `${base.id}n` };
    const block: NoticeBlock = { ...base, id, seq, kind: 'notice', ...notice.show(count) };
    const index = follows ? last.index : length;
    this.#last = { index, key: notice.key, count, block };
    return { index: follows ? index : null, block };
  }
}

/** A call that failed before it used anything is only told. */
function counts({ outcome, tokens }: GatewayCall): boolean {
  return outcome !== 'failed' || totalTokens(tokens) > 0;
}
