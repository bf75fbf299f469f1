import { type RepositoryCheck } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { addressProblem } from '../text/repositories.ts';

/** One is not asked for at every key. */
const PAUSE_MS = 600;

type State =
  | { readonly kind: 'unknown' | 'checking' }
  | { readonly kind: 'checked'; readonly check: RepositoryCheck }
  /** Nobody could be asked. */
  | { readonly kind: 'unasked'; readonly reason: string };

/** The address of a repository, checked by the runner while it is typed. */
export class RepositoryField {
  #address = $state('');
  #state = $state.raw<State>({ kind: 'unknown' });
  /** What is wrong with an address is said when the person leaves it or has typed on for a while. */
  #told = $state(false);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #asking: { address: string; abort: AbortController; done: Promise<void> } | null = null;

  get address(): string {
    return this.#address;
  }
  set address(address: string) {
    this.#address = address;
    this.#state = { kind: 'unknown' };
    this.#told = false;
    this.#asking?.abort.abort();
    this.#asking = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = address.trim() === '' ? null : setTimeout(() => void this.check(), PAUSE_MS);
  }

  get state(): State {
    return this.#state;
  }

  problem = $derived.by(() => {
    if (!this.#told) return null;
    const wrong = addressProblem(this.#address);
    if (wrong !== null) return wrong;
    const state = this.#state;
    return state.kind === 'checked' && !state.check.reachable ? state.check.reason : null;
  });

  note = $derived.by(() => {
    const state = this.#state;
    if (state.kind === 'checking') return 'Checking…';
    if (state.kind === 'unasked') return `It could not be checked: ${state.reason}`;
    if (state.kind !== 'checked' || !state.check.reachable) return null;
    if (state.check.empty) return 'Found. It has no commit yet.';
    return state.check.branch === null ? 'Found.' : `Found, on ${state.check.branch}.`;
  });

  /** Asks the runner, once for each address; resolves when it has answered. */
  async check(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const address = this.#address.trim();
    this.#told = true;
    if (address === '' || addressProblem(address) !== null || this.#state.kind === 'checked')
      return;
    if (this.#asking?.address !== address) {
      const abort = new AbortController();
      this.#asking = { address, abort, done: this.#ask(address, abort.signal) };
    }
    await this.#asking.done;
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#asking?.abort.abort();
  }

  async #ask(address: string, signal: AbortSignal): Promise<void> {
    this.#state = { kind: 'checking' };
    let state: State;
    try {
      state = { kind: 'checked', check: await client.repository.check(address, signal) };
    } catch (error) {
      if (signal.aborted) return;
      state = { kind: 'unasked', reason: (await problemOf(error)) ?? '' };
    }
    if (signal.aborted) return;
    this.#state = state;
    this.#asking = null;
  }
}
