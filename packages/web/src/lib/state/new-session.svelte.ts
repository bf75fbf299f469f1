import { type Session, SessionCreate } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { randomName } from '../text/names.ts';

export class NewSession {
  name = $state(randomName());
  repository = $state('');
  problem = $state<string | null>(null);
  busy = $state(false);

  reroll(): void {
    this.name = randomName();
  }

  async create(created: (session: Session) => void): Promise<void> {
    const repository = this.repository.trim();
    const body = SessionCreate.safeParse({
      name: this.name.trim() === '' ? undefined : this.name,
      gitRepoUrl: repository === '' ? null : repository,
    });
    if (!body.success) {
      this.problem = body.error.issues.map((issue) => issue.message).join('; ');
      return;
    }
    this.busy = true;
    try {
      created(await client.session.create(body.data));
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }
}
