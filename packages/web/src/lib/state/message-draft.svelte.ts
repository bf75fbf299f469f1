import { type Delivery, MessageCreate } from '@filepath/protocol';
import { client } from '../api.ts';
import { type Spoken, spoken } from '../text/commands.ts';
import { AttachedFiles } from './attached-files.svelte.ts';
import { keepDraft, keptDraft } from './drafts.ts';
import { SentHistory } from './sent-history.ts';
import type { ThreadView } from './thread-view.svelte.ts';

type Called = Extract<Spoken, { kind: 'command' }>;

/** The message being written: kept until it is sent. What could not be sent stays in the field. */
export class MessageDraft {
  /** Why the text is not sent as it stands: it looks like a command and is none. */
  doubt = $state<string | null>(null);
  readonly history: SentHistory;
  readonly attached: AttachedFiles;
  readonly #view: ThreadView;
  readonly #run: (called: Called) => Promise<boolean>;
  #text = $state('');

  /** `run` carries out a command; false: it was refused. */
  constructor(view: ThreadView, run: (called: Called) => Promise<boolean>) {
    this.#view = view;
    this.#run = run;
    this.#text = keptDraft(view.id);
    this.attached = new AttachedFiles({
      keep: (file) => client.thread.keepFile(view.id, file),
      instead: 'Put it into the repository, or send a part of it.',
    });
    this.history = new SentHistory(() => view.sent());
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.doubt = null;
    keepDraft(this.#view.id, text);
  }

  get blank(): boolean {
    return this.#text.trim() === '' && this.attached.files.length === 0;
  }

  /** A message waits until its files are kept. */
  get sendable(): boolean {
    return !this.blank && !this.#view.sending && !this.attached.busy;
  }

  /** `asText`: a line that looks like a command is meant as it stands. */
  async send(deliver?: Delivery, asText = false): Promise<void> {
    if (!this.sendable) return;
    const sent = this.text;
    const meant = asText ? ({ kind: 'text' } as const) : spoken(sent);
    if (meant.kind === 'unknown') {
      this.doubt = meant.why;
      return;
    }
    const done = meant.kind === 'command' ? await this.#run(meant) : await this.#say(sent, deliver);
    if (done && this.text === sent) this.text = '';
    if (done && meant.kind === 'text') this.attached.clear();
  }

  async #say(text: string, deliver?: Delivery): Promise<boolean> {
    const { refs } = this.attached;
    const content = text.trim() === '' ? 'See the attached files.' : text;
    const message = MessageCreate.safeParse({ content, attachments: refs });
    if (message.success) return this.#view.send(message.data.content, deliver, refs);
    this.#view.problem = message.error.issues.map((issue) => issue.message).join('; ');
    return false;
  }
}
