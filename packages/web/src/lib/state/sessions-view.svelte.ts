import type { Session } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';

const REFRESH_MS = 4000;

/** The sessions of the dashboard, read again while the page is looked at. */
export class SessionsView {
  sessions = $state.raw<readonly Session[] | null>(null);
  problem = $state<string | null>(null);
  now = $state(Date.now());
  #timer: ReturnType<typeof setInterval> | null = null;
  #loading = false;

  start(): () => void {
    void this.load();
    const look = (): void => {
      if (!document.hidden) void this.load();
    };
    this.#timer = setInterval(look, REFRESH_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      if (this.#timer !== null) clearInterval(this.#timer);
      document.removeEventListener('visibilitychange', look);
    };
  }

  async load(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    try {
      const sessions = await client.session.list();
      this.sessions = sessions.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.now = Date.now();
      this.#loading = false;
    }
  }

  stop(id: string): Promise<void> {
    return this.#act(() => client.session.signal(id, 'stop'));
  }

  delete(id: string): Promise<void> {
    return this.#act(() => client.session.delete(id));
  }

  async #act(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      await this.load();
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }
}
