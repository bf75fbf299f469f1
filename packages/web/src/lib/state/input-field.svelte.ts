import type { Node } from '@filepath/protocol';
import type { AgentActions } from './agent-actions.svelte.ts';
import { DroppedFiles } from './dropped-files.svelte.ts';
import { MessageDraft } from './message-draft.svelte.ts';
import { type Suggestion, Suggestions } from './suggestions.svelte.ts';
import type { ThreadView } from './thread-view.svelte.ts';
import { isTouch } from './touch.ts';

type Parts = { view: ThreadView; actions: AgentActions; nodes: () => Iterable<Node> };

/** The field in which a message is written: its keys, the files that it takes, and what is offered. */
export class InputField {
  readonly draft: MessageDraft;
  readonly suggestions: Suggestions;
  readonly dropped = new DroppedFiles((files) => this.attach(files));
  element: HTMLTextAreaElement | undefined;
  readonly #view: ThreadView;

  constructor({ view, actions, nodes }: Parts) {
    this.#view = view;
    this.suggestions = new Suggestions({ id: view.id, nodes });
    this.draft = new MessageDraft(view, async ({ command, argument }) => {
      if (command.name === 'help') this.#put({ text: '/', caret: 1 });
      else if (command.name === 'clear-draft') this.draft.attached.clear();
      else return actions.run(command.name, argument);
      return true;
    });
  }

  send(deliver?: 'after'): void {
    this.suggestions.close();
    void this.draft.send(deliver);
  }

  pick(item?: Suggestion): void {
    const taken = this.suggestions.take(this.draft.text, item);
    if (taken !== null) this.#put(taken);
  }

  /** The text has changed, or the caret has moved. */
  look({ value, selectionStart }: HTMLTextAreaElement): void {
    this.suggestions.look(value, selectionStart);
  }

  press(event: KeyboardEvent): void {
    // Enter ends a composition, and sends nothing.
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    if (!this.#chosen(event) && !this.#typed(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  attach(files: readonly File[]): void {
    void this.draft.attached.add(files);
  }

  /** A key for what is offered. */
  #chosen(event: KeyboardEvent): boolean {
    const { suggestions } = this;
    if (!suggestions.open) return false;
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') suggestions.move(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Escape') suggestions.dismiss();
    else if (key === 'Tab' && !event.shiftKey) this.pick();
    else if (key === 'Enter' && !event.shiftKey && !suggestions.isWhole(this.draft.text)) {
      this.pick();
    } else return false;
    return true;
  }

  #typed(event: KeyboardEvent): boolean {
    const { key } = event;
    if (key === 'Escape') this.element?.blur();
    else if (key === 'Enter' && !event.shiftKey && !isTouch()) {
      this.send(event.altKey && this.#view.working ? 'after' : undefined);
    } else if (key === 'ArrowUp' || key === 'ArrowDown') {
      const { history } = this.draft;
      const text = history[key === 'ArrowUp' ? 'older' : 'newer'](this.draft.text);
      if (text === null) return false;
      this.#put({ text, caret: text.length });
      this.suggestions.close();
    } else return false;
    return true;
  }

  /** The text and the caret in it; what is offered follows. */
  #put({ text, caret }: { text: string; caret: number }): void {
    this.draft.text = text;
    const { element } = this;
    if (element === undefined) return;
    element.value = text;
    element.focus();
    element.setSelectionRange(caret, caret);
    this.look(element);
  }
}
