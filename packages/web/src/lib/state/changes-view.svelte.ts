import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { ChangedFile, Changes } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { countsOf, renamesIn, signatureOf } from '../text/hunks.ts';
import { recall, remember } from './remembered.ts';
import { Viewed } from './viewed.svelte.ts';

/** Lines that are shown at first: of all files, and of one that is opened. */
const OPEN_LINES = 3000;
const OPEN_FILE_LINES = 800;

/** What one agent changed, as it is looked at. */
export class ChangesView {
  changes = $state.raw<Changes | null>(null);
  loading = $state(false);
  problem = $state<string | null>(null);
  filter = $state('');
  split = $state(recall('changes:split') === 'yes');
  readonly viewed: Viewed;
  /** Files that a person opened or closed; the others are as they are at first. */
  readonly #turned = new SvelteMap<string, boolean>();
  /** Files whose hunks did not fit, since they were asked for. */
  readonly #whole = new SvelteMap<string, ChangedFile>();
  readonly asked = new SvelteSet<string>();

  files = $derived(this.changes?.files.map((file) => this.#whole.get(file.path) ?? file) ?? []);
  shown = $derived(this.files.filter(({ path }) => fits(path, this.filter)));
  counts = $derived(countsOf(this.files));
  renames = $derived(renamesIn(this.files));
  /** Where those that are gone have been moved. */
  moved = $derived(new Map([...this.renames].map(([to, from]) => [from, to])));
  uncommitted = $derived(this.files.filter((file) => file.uncommitted).length);
  /** Those that are open at first: as many as are quick to show. */
  #short = $derived.by(() => {
    let room = OPEN_LINES;
    const open = new Set<string>();
    for (const file of this.files) {
      const lines = (file.additions ?? 0) + (file.deletions ?? 0);
      if (lines > OPEN_FILE_LINES || lines > room) continue;
      room -= lines;
      open.add(file.path);
    }
    return open;
  });

  readonly id: string;
  #again = false;

  constructor(id: string) {
    this.id = id;
    this.viewed = new Viewed(id);
  }

  /** Asks anew. Asked meanwhile, it is asked once more after. */
  async load(): Promise<void> {
    if (this.loading) {
      this.#again = true;
      return;
    }
    this.loading = true;
    do {
      this.#again = false;
      await this.#read();
    } while (this.#again);
    this.loading = false;
  }

  async #read(): Promise<void> {
    try {
      const changes = await client.node.changes(this.id);
      this.changes = changes;
      this.problem = null;
      const cut = new Set(changes.files.filter((file) => file.truncated).map(({ path }) => path));
      // What was asked for stays, as it was, until it is here as it is now.
      for (const path of this.#whole.keys()) {
        if (cut.has(path)) void this.#readFile(path);
        else this.#whole.delete(path);
      }
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }

  /** It was asked for alone: more than it has now cannot be had. */
  isLoaded({ path }: ChangedFile): boolean {
    return this.#whole.has(path);
  }

  /** The hunks of a file of which they were left out. */
  async loadFile(path: string): Promise<void> {
    this.#turned.set(path, true);
    await this.#readFile(path);
  }

  async #readFile(path: string): Promise<void> {
    this.asked.add(path);
    try {
      const { files } = await client.node.changes(this.id, path);
      const file = files.find((one) => one.path === path);
      if (file) this.#whole.set(path, file);
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.asked.delete(path);
    }
  }

  isOpen(file: ChangedFile): boolean {
    const short = this.#short.has(file.path) && !this.isViewed(file);
    return this.#turned.get(file.path) ?? short;
  }

  open(path: string): void {
    this.#turned.set(path, true);
  }

  toggle(file: ChangedFile): void {
    this.#turned.set(file.path, !this.isOpen(file));
  }

  isViewed(file: ChangedFile): boolean {
    return this.viewed.has(file.path, this.#signature(file));
  }

  view(file: ChangedFile, viewed: boolean): void {
    this.viewed.mark(file.path, viewed ? this.#signature(file) : null);
    this.#turned.set(file.path, !viewed);
  }

  setSplit(split: boolean): void {
    this.split = split;
    remember('changes:split', split ? 'yes' : 'no');
  }

  #signature(file: ChangedFile): string {
    return signatureOf(file, this.changes?.head ?? '');
  }
}

function fits(path: string, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/);
  const lower = path.toLowerCase();
  return words.every((word) => lower.includes(word));
}
