import type { ModelGroup } from '@filepath/protocol';
import { findModels } from '../text/models.ts';

type Parts = {
  readonly groups: () => readonly ModelGroup[];
  readonly value: () => string;
  readonly choose: (model: string) => void;
};

/** As many as the list itself goes by one key of pages. */
const PAGE = 10;

/** A field that suggests models: what is typed is the model, and what is found can be taken. */
export class ModelPicker {
  #open = $state(false);
  /** Until something is typed all models are shown, whatever is in the field. */
  #searching = $state(false);
  /** The chosen model is in the page when the list opens, however far down it is, so that it can be scrolled to. */
  #settled = $state(false);
  /** Where the last key led to. */
  #reached = $state.raw<readonly number[]>([]);
  #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  lines = $derived.by(() =>
    findModels(this.#parts.groups(), this.#searching ? this.#parts.value() : ''),
  );
  /** Rows that are in the page wherever the list is scrolled to. */
  kept = $derived.by(() => {
    if (this.#settled) return this.#reached;
    const at = this.lines.findIndex(({ key }) => key === this.#parts.value());
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
    this.moved();
  }

  /** Takes the first found that can be had; where nothing was searched or found, the field stays as it is. */
  takeFirst(): void {
    const first = this.#searching
      ? this.lines.find((line) => 'model' in line && line.model.available)
      : undefined;
    if (first) this.#parts.choose(first.key);
    this.open = false;
  }

  /** The person moves through the list: with a key, from the model that is highlighted. */
  moved(key = '', from: string | null = null): void {
    this.#settled = true;
    this.#reached = from === null ? [] : this.#reach(key, from);
  }

  /** What a key passes, from where it starts to where it leads. */
  #reach(key: string, from: string): readonly number[] {
    const takable = this.lines.flatMap((line, at) =>
      'model' in line && line.model.available ? [at] : [],
    );
    const at = takable.findIndex((line) => this.lines[line]?.key === from);
    if (at < 0) return [];
    if (key === 'Home') return takable.slice(0, 1);
    if (key === 'End') return takable.slice(-1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }[key] ?? 0;
    return takable.slice(Math.max(0, Math.min(at, at + steps)), Math.max(at, at + steps) + 1);
  }
}
