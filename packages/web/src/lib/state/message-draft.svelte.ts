import { type Delivery, MessageCreate } from '@filepath/protocol';
import type { ThreadView } from './thread-view.svelte.ts';

/** The message being written. What could not be sent stays in the field. */
export class MessageDraft {
  text = $state('');
  blank = $derived(this.text.trim() === '');
  readonly #view: ThreadView;

  constructor(view: ThreadView) {
    this.#view = view;
  }

  async send(deliver?: Delivery): Promise<void> {
    if (this.blank || this.#view.sending) return;
    const sent = this.text;
    const message = MessageCreate.safeParse({ content: sent });
    if (!message.success) {
      this.#view.problem = message.error.issues.map((issue) => issue.message).join('; ');
      return;
    }
    if ((await this.#view.send(message.data.content, deliver)) && this.text === sent) {
      this.text = '';
    }
  }
}
