import { AttentionView } from './attention-view.svelte.ts';

/** One feed of what waits, for the whole page: bell, title, notifications and the notice of a lost connection. */
class Attention {
  view = $state.raw<AttentionView | null>(null);
  count = $derived(this.view?.items.length ?? 0);

  open(): void {
    this.view ??= new AttentionView();
  }

  /** Nobody is signed in. */
  close(): void {
    this.view?.close();
    this.view = null;
  }
}

export const attention = new Attention();
