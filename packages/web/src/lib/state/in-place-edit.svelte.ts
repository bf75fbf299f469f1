import { tick } from 'svelte';
import { isTouch } from './touch.ts';

/** A text that is edited where it stands: its field takes the focus, which goes back to the button that began it. */
export class InPlaceEdit {
  /** Null: it is not being edited. */
  draft = $state<string | null>(null);
  busy = $state(false);
  /** The button that begins it. */
  button = $state<HTMLElement | null>(null);
  readonly #store: (content: string) => Promise<boolean>;

  /** @param store resolves with whether it was stored. */
  constructor(store: (content: string) => Promise<boolean>) {
    this.#store = store;
  }

  readonly field = (element: HTMLTextAreaElement): void => {
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  };

  async leave(): Promise<void> {
    this.draft = null;
    await tick();
    this.button?.focus();
  }

  async save(): Promise<void> {
    const { draft } = this;
    if (draft === null || draft.trim() === '' || this.busy) return;
    this.busy = true;
    const stored = await this.#store(draft);
    this.busy = false;
    if (stored) await this.leave();
  }

  press(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'Escape') void this.leave();
    else if (event.key === 'Enter' && !event.shiftKey && !isTouch()) void this.save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
