import type { Session } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { findSessions, SESSION_ORDERS, type SessionOrder } from '../text/sessions.ts';
import { recall, remember } from './remembered.ts';

const REFRESH_MS = 3000;
const TICK_MS = 1000;
const ORDER = 'session-order';

/** The sessions of the dashboard, read again while the page is looked at. */
export class SessionsView {
  sessions = $state.raw<readonly Session[] | null>(null);
  problem = $state<string | null>(null);
  search = $state('');
  now = $state(Date.now());
  /** When the list was last read. */
  readAt = $state<number | null>(null);
  #order = $state<SessionOrder>(rememberedOrder());
  #loading: Promise<void> | null = null;

  shown = $derived(findSessions(this.sessions ?? [], this.search, this.#order));

  get order(): SessionOrder {
    return this.#order;
  }
  set order(order: SessionOrder) {
    this.#order = order;
    remember(ORDER, order);
  }

  start(): () => void {
    void this.load();
    const look = (): void => {
      if (!document.hidden) void this.load();
    };
    const refreshing = setInterval(look, REFRESH_MS);
    const ticking = setInterval(() => (this.now = Date.now()), TICK_MS);
    document.addEventListener('visibilitychange', look);
    addEventListener('online', look);
    return () => {
      clearInterval(refreshing);
      clearInterval(ticking);
      document.removeEventListener('visibilitychange', look);
      removeEventListener('online', look);
    };
  }

  load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => (this.#loading = null));
    return this.#loading;
  }

  stop(id: string): Promise<string | null> {
    return this.#act(() => client.session.signal(id, 'stop'));
  }

  delete(id: string): Promise<string | null> {
    return this.#act(() => client.session.delete(id));
  }

  async #read(): Promise<void> {
    try {
      this.sessions = await client.session.list();
      this.problem = null;
      this.readAt = Date.now();
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.now = Date.now();
    }
  }

  /** Null, or why it was not done. What was read before is old then. */
  async #act(work: () => Promise<void>): Promise<string | null> {
    try {
      await work();
      await this.#loading;
      await this.load();
      return null;
    } catch (error) {
      return problemOf(error);
    }
  }
}

function rememberedOrder(): SessionOrder {
  const order = recall(ORDER) ?? '';
  return Object.hasOwn(SESSION_ORDERS, order) ? (order as SessionOrder) : 'activity';
}
