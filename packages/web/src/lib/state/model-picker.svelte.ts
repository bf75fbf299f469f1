import type { Model, ModelGroup } from '@filepath/protocol';
import { findModels } from '../text/models.ts';

type Parts = {
  readonly groups: () => readonly ModelGroup[];
  readonly value: () => string;
  readonly choose: (model: string) => void;
};

/** A field that suggests models: what is typed is the model, and what is found can be taken. */
export class ModelPicker {
  open = $state(false);
  /** The option that Enter takes. */
  active = $state<string | null>(null);
  /** Until something is typed all models are shown, whatever is in the field. */
  #searching = $state(false);
  #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  rows = $derived.by(() =>
    findModels(this.#parts.groups(), this.#searching ? this.#parts.value() : ''),
  );

  show(): void {
    if (this.open) return;
    this.open = true;
    this.#searching = false;
    const value = this.#parts.value();
    this.active = this.#choices().some(({ id }) => id === value) ? value : null;
  }

  hide(): void {
    this.open = false;
    this.active = null;
  }

  typed(): void {
    this.open = true;
    this.#searching = true;
    this.active = this.#choices()[0]?.id ?? null;
  }

  take(model: string): void {
    this.#parts.choose(model);
    this.hide();
  }

  /** True: the key is used up here. */
  key(key: string): boolean {
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (this.open) this.#move(key === 'ArrowDown' ? 1 : -1);
      else this.show();
      return true;
    }
    if (!this.open) return false;
    if (key === 'Escape') {
      this.hide();
      return true;
    }
    if (key === 'Enter' && this.active !== null) {
      this.take(this.active);
      return true;
    }
    return false;
  }

  #choices(): Model[] {
    return this.rows.groups.flatMap(({ models }) => models).filter(({ available }) => available);
  }

  #move(step: 1 | -1): void {
    const ids = this.#choices().map(({ id }) => id);
    if (ids.length === 0) return;
    const at = this.active === null ? -1 : ids.indexOf(this.active);
    const next = at < 0 ? (step === 1 ? 0 : ids.length - 1) : at + step;
    this.active = ids[(next + ids.length) % ids.length] ?? null;
  }
}
