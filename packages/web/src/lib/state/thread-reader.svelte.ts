import { tick, untrack } from 'svelte';
import { chunkAt } from './chunks.ts';
import { ScrollKeeper } from './scroll-keeper.svelte.ts';
import type { Row } from './thread-rows.ts';
import type { ThreadView } from './thread-view.svelte.ts';

/** Groups that are always on the page: all of a short thread, the end of a long one. */
const SHORT = 48;
const END = 5;
/** How far below the top a block is put that was asked for by its address. */
const TARGET_PX = 24;

/** Somebody who reads a thread: where they are in it, and what is new to them. */
export class ThreadReader {
  readonly keeper = new ScrollKeeper();
  /** The id of the row that was asked for by its address. */
  target = $state<string | null>(null);
  /** The browser looks for words on the page. */
  finding = $state(false);
  /** The seq of the last event when the reader left the end; null: they have not yet. */
  #left = $state<number | null>(null);
  readonly #view: ThreadView;
  readonly #stop: () => void;

  readonly #fresh = $derived.by(() => newRows(this.#view, this.#left));
  readonly newBlocks = $derived(this.#fresh.length);
  readonly firstNew = $derived(this.#fresh[0]?.id ?? null);

  constructor(view: ThreadView) {
    this.#view = view;
    this.keeper.onbeginning = () => {
      if (view.source.earlier === 'more') void view.source.older();
    };
    this.#stop = $effect.root(() => {
      $effect(() => {
        if (this.keeper.pinned) view.source.rest();
        else this.#left = untrack(() => view.last);
      });
      $effect(() => {
        if (view.source.earlier === 'more') void tick().then(() => this.keeper.look());
      });
      $effect(() => {
        if (!this.finding) return;
        this.keeper.shown.wantMany(view.chunks.map(({ key }) => key));
      });
    });
    void this.#comeBack();
  }

  close(): void {
    this.#view.place.at = this.keeper.place;
    this.#stop();
  }

  isAlways(index: number): boolean {
    const groups = this.#view.chunks.length;
    return groups <= SHORT || index >= groups - END;
  }

  /** Reads back to a block and shows it. */
  async goTo(seq: number, offset = TARGET_PX): Promise<void> {
    this.keeper.pinned = false;
    await this.#view.reach(seq);
    const chunk = chunkAt(this.#view.chunks, seq);
    const row = chunk?.rows.findLast((one) => one.seq <= seq) ?? chunk?.rows[0];
    if (!chunk || !row) return;
    this.keeper.shown.show(chunk.key);
    await tick();
    const element = document.querySelector(`[data-chunk="${chunk.key}"] [data-row="${row.seq}"]`);
    if (element) this.keeper.put(element, offset);
    if (offset === TARGET_PX) this.target = row.id;
  }

  find(): void {
    this.finding = true;
  }

  found(): void {
    this.finding = false;
  }

  /** Where they were when they last looked at this thread. */
  async #comeBack(): Promise<void> {
    const { at } = this.#view.place;
    if (at === null) return;
    await this.#view.source.ready;
    await this.goTo(at.seq, at.offset);
  }
}

/** Blocks after a seq, in order. */
function newRows({ chunks }: ThreadView, left: number | null): Row[] {
  if (left === null) return [];
  const fresh: Row[] = [];
  for (let at = chunks.length - 1; at >= 0; at -= 1) {
    const rows = chunks[at]?.rows ?? [];
    if ((rows.at(-1)?.seq ?? 0) <= left) break;
    fresh.unshift(...rows.filter((row) => row.seq > left && row.kind !== 'run'));
  }
  return fresh;
}
