import { type ChatView, LiveChat } from '@filepath/client/chat';
import { CHAT_LIMITS } from '@filepath/protocol';
import { goto } from '$app/navigation';
import { problemOf } from '../api.ts';
import { liteclaw } from '../liteclaw-api.ts';
import { keepDraft, keptDraft } from './drafts.ts';
import { PerFrame } from './per-frame.ts';
import { isTouch } from './touch.ts';

const NOTHING: ChatView = {
  state: 'connecting',
  error: null,
  messages: null,
  writing: null,
  waiting: new Set(),
  busy: false,
  stopping: false,
  notice: null,
  failure: null,
};

/** A chat on its page: what is shown of it, and what the person does. */
export class LiveChatView {
  readonly id: string;
  shown = $state.raw<ChatView>(NOTHING);
  /** Why the last message was not taken. It is in the field again. */
  problem = $state<string | null>(null);
  #draft = $state('');
  #chat: LiveChat | null = null;
  readonly #frame = new PerFrame(() => this.#show());

  constructor(id: string) {
    this.id = id;
    this.#draft = keptDraft(id);
  }

  get draft(): string {
    return this.#draft;
  }

  set draft(text: string) {
    this.#draft = text;
    keepDraft(this.id, text);
  }

  sendable = $derived.by(() => {
    const length = this.#draft.trim().length;
    return length > 0 && length <= CHAT_LIMITS.text && this.shown.state !== 'gone';
  });

  /** Follows the chat until what it returns is called. */
  follow(): () => void {
    const chat = new LiveChat(liteclaw.chat(this.id), {
      onChange: () => this.#frame.ask(),
      onRefused: (text, reason) => {
        this.problem = reason;
        if (this.#draft === '') this.draft = text;
      },
    });
    this.#chat = chat;
    chat.start();
    // A page that was away may have a connection that leads nowhere.
    const seen = (): void => {
      if (!document.hidden) chat.check();
    };
    document.addEventListener('visibilitychange', seen);
    return () => {
      document.removeEventListener('visibilitychange', seen);
      this.#frame.cancel();
      chat.close();
    };
  }

  send(text = this.#draft.trim()): void {
    if (text === '' || this.shown.state === 'gone') return;
    this.problem = null;
    if (text === this.#draft.trim()) this.draft = '';
    this.#chat?.send(text);
  }

  press(event: KeyboardEvent): void {
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    // Enter ends a composition, and sends nothing.
    if (event.key !== 'Enter' || !plain || event.isComposing || isTouch()) return;
    event.preventDefault();
    if (this.sendable) this.send();
  }

  stop(): void {
    this.#chat?.stop();
  }

  /** Null, or why it was not cleared. */
  async clear(): Promise<string | null> {
    try {
      await this.#chat?.clear();
      return null;
    } catch (error) {
      return problemOf(error);
    }
  }

  #show(): void {
    this.shown = this.#chat?.view() ?? NOTHING;
    if (this.shown.error?.code === 'unauthenticated') void goto('/sign-in');
  }
}
