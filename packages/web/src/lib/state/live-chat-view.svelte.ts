import { type ChatView, LiveChat } from '@filepath/client/chat';
import { CHAT_LIMITS } from '@filepath/protocol';
import { chatFileOf, type ChatFilePart, chatFileRef } from '@filepath/protocol/chat';
import { goto } from '$app/navigation';
import { problemOf } from '../api.ts';
import { liteclaw } from '../liteclaw-api.ts';
import { AttachedFiles } from './attached-files.svelte.ts';
import { DroppedFiles } from './dropped-files.svelte.ts';
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
  readonly attached: AttachedFiles;
  readonly dropped = new DroppedFiles((files) => void this.attached.add(files));
  #draft = $state('');
  #chat: LiveChat | null = null;
  readonly #frame = new PerFrame(() => this.#show());

  constructor(id: string) {
    this.id = id;
    this.#draft = keptDraft(id);
    this.attached = new AttachedFiles({
      keep: (file) => liteclaw.keepFile(id, file),
      instead: 'Send a part of it.',
    });
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
    const some = length > 0 || this.attached.files.length > 0;
    // A message waits until its files are kept.
    const ready = some && !this.attached.busy && this.shown.state !== 'gone';
    return ready && length <= CHAT_LIMITS.text;
  });

  /** Follows the chat until what it returns is called. */
  follow(): () => void {
    const chat = new LiveChat(liteclaw.chat(this.id), {
      onChange: () => this.#frame.ask(),
      onRefused: (text, reason, files) => {
        this.problem = reason;
        if (this.#draft === '') this.draft = text;
        this.attached.restore(files.flatMap((file, at) => this.#attachedOf(file, at)));
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

  /** What is in the field, with its files. */
  send(): void {
    if (!this.sendable) return;
    const text = this.#draft.trim();
    const files = this.attached.files.flatMap(({ name, type, sha256 }) =>
      sha256 === null ? [] : [this.#part(name, type, sha256)],
    );
    this.draft = '';
    this.attached.clear();
    this.say(text, files);
  }

  say(text: string, files: readonly ChatFilePart[] = []): void {
    if (this.shown.state === 'gone') return;
    this.problem = null;
    this.#chat?.send(text, files);
  }

  press(event: KeyboardEvent): void {
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    // Enter ends a composition, and sends nothing.
    if (event.key !== 'Enter' || !plain || event.isComposing || isTouch()) return;
    event.preventDefault();
    this.send();
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

  #part(filename: string, mediaType: string, sha256: string): ChatFilePart {
    return { type: 'file', mediaType, filename, url: chatFileRef(this.id, sha256) };
  }

  #attachedOf({ filename: name = 'file', mediaType: type, url }: ChatFilePart, at: number) {
    const sha256 = chatFileOf(this.id, url);
    return sha256 === null ? [] : [{ key: -1 - at, name, type, bytes: null, sha256 }];
  }

  #show(): void {
    this.shown = this.#chat?.view() ?? NOTHING;
    if (this.shown.error?.code === 'unauthenticated') void goto('/sign-in');
  }
}
