import { client } from '../api.ts';

/** Why agents cannot be run here, if so. Health is open, so it needs no sign-in; no answer is no news. */
export class Health {
  refusal = $state<string | null>(null);

  async load(): Promise<void> {
    try {
      const { agents } = await client.health();
      this.refusal = agents.available ? null : (agents.reason ?? 'no reason was given');
    } catch {
      this.refusal = null;
    }
  }
}
