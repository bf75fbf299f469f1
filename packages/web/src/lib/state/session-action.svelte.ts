import type { Session } from '@filepath/protocol';
import { deletionText, stopText } from '../text/sessions.ts';
import type { SessionsView } from './sessions-view.svelte.ts';

type Asked = { readonly kind: 'stop' | 'delete'; readonly session: Session; readonly at: number };

/** What is asked for of a session, until the person has said yes and it is done. */
export class SessionAction {
  #asked = $state.raw<Asked | null>(null);
  busy = $state(false);
  problem = $state<string | null>(null);
  #view: SessionsView;

  constructor(view: SessionsView) {
    this.#view = view;
  }

  words = $derived.by(() => {
    if (this.#asked === null) return null;
    const { kind, session } = this.#asked;
    return kind === 'stop'
      ? { title: `Stop ${session.name}?`, text: stopText(session), action: 'Stop' }
      : { title: `Delete ${session.name}?`, text: deletionText(session), action: 'Delete' };
  });

  /** The row of the session. */
  get at(): number {
    return this.#asked?.at ?? 0;
  }

  ask(kind: Asked['kind'], session: Session): void {
    const at = this.#view.shown.findIndex(({ id }) => id === session.id);
    this.#asked = { kind, session, at };
    this.problem = null;
  }

  close(): void {
    this.#asked = null;
  }

  /** True: a session is gone. */
  async confirm(): Promise<boolean> {
    if (this.#asked === null || this.busy) return false;
    const { kind, session } = this.#asked;
    this.busy = true;
    this.problem = await this.#view[kind](session.id);
    this.busy = false;
    if (this.problem !== null) return false;
    this.#asked = null;
    return kind === 'delete';
  }
}
