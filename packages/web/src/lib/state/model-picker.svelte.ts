import type { ModelGroup } from '@filepath/protocol';
import { findModels } from '../text/models.ts';

type Parts = {
  readonly groups: () => readonly ModelGroup[];
  readonly value: () => string;
  readonly choose: (model: string) => void;
};

/** A field that suggests models: what is typed is the model, and what is found can be taken. */
export class ModelPicker {
  #open = $state(false);
  /** Until something is typed all models are shown, whatever is in the field. */
  #searching = $state(false);
  /** The chosen model is in the page when the list opens, however far down it is, so that it can be scrolled to. */
  #settled = $state(false);
  #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  lines = $derived.by(() =>
    findModels(this.#parts.groups(), this.#searching ? this.#parts.value() : ''),
  );
  kept = $derived.by(() => {
    const at = this.#settled ? -1 : this.lines.findIndex(({ key }) => key === this.#parts.value());
    return at < 0 ? [] : [at];
  });

  get open(): boolean {
    return this.#open;
  }
  set open(open: boolean) {
    if (open === this.#open) return;
    this.#open = open;
    this.#searching = false;
    this.#settled = false;
  }

  typed(text: string): void {
    this.#parts.choose(text);
    this.#open = true;
    this.#searching = true;
    this.#settled = true;
  }

  /** Takes the first found that can be had; where nothing was searched or found, the field stays as it is. */
  takeFirst(): void {
    const first = this.#searching
      ? this.lines.find((line) => 'model' in line && line.model.available)
      : undefined;
    if (first) this.#parts.choose(first.key);
    this.open = false;
  }

  /** The person moves through the list. */
  moved(): void {
    this.#settled = true;
  }
}
