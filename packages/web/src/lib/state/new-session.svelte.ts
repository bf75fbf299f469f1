import { issuesOf, type Session, SessionCreate } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { issuesOfError, type Problems, problemsOf } from '../text/field-problems.ts';
import { randomName } from '../text/names.ts';
import { addressProblem, recentRepositories } from '../text/repositories.ts';
import { recall, remember } from './remembered.ts';
import { RepositoryField } from './repository-field.svelte.ts';

const RECENT = 'repositories';
const FIELDS = { name: 'name', gitRepoUrl: 'repository' };

export class NewSession {
  readonly repository = new RepositoryField();
  name = $state(randomName());
  problems = $state.raw<Problems>({});
  busy = $state(false);
  /** Repositories to choose from, the last used first. */
  readonly recent: readonly string[];
  /** The address for which the person was told that it cannot be cloned. */
  #warned = $state<string | null>(null);

  /** @param known repositories of sessions there are. */
  constructor(known: readonly (string | null)[]) {
    this.recent = recentRepositories([...(recall(RECENT) ?? '').split('\n'), ...known]);
  }

  /** A repository that cannot be cloned now may be one later. */
  anyway = $derived.by(() => {
    const { state, address } = this.repository;
    return this.#warned === address && state.kind === 'checked' && !state.check.reachable;
  });

  reroll(): void {
    this.name = randomName();
  }

  async create(created: (session: Session) => void): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.problems = {};
    try {
      if (await this.#held()) return;
      const address = this.repository.address.trim();
      const body = SessionCreate.safeParse({
        name: this.name.trim() === '' ? undefined : this.name,
        gitRepoUrl: address === '' ? null : address,
      });
      if (!body.success) {
        this.problems = problemsOf(issuesOf(body.error), FIELDS);
        return;
      }
      const session = await client.session.create(body.data);
      remember(RECENT, recentRepositories([address, ...this.recent]).join('\n'));
      created(session);
    } catch (error) {
      const issues = issuesOfError(error);
      const problem = issues === null ? await problemOf(error) : null;
      if (issues !== null) this.problems = problemsOf(issues, FIELDS);
      else if (problem !== null) this.problems = { '': problem };
    } finally {
      this.busy = false;
    }
  }

  /** True: something is wrong with the repository, and the person has not said to go on. */
  async #held(): Promise<boolean> {
    const { repository } = this;
    await repository.check();
    if (addressProblem(repository.address) !== null) return true;
    const { state, address } = repository;
    if (state.kind !== 'checked' || state.check.reachable || this.anyway) return false;
    this.#warned = address;
    return true;
  }
}
