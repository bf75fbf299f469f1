import type { CatalogItem } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';

/** The kinds of agents that the spawn dialog offers. */
export class AgentChoices {
  all = $state.raw<readonly CatalogItem[]>([]);
  problem = $state<string | null>(null);

  async load(): Promise<void> {
    try {
      this.all = await client.catalog();
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }
}

/** What to do when an agent's program is not there; null if it is. */
export function missingText({ program, install, type, name }: CatalogItem): string | null {
  if (program !== 'missing') return null;
  if (install?.from === 'person') return install.hint;
  if (install === null) return `The program of ${name} is not on this machine.`;
  return `Its program is not here yet: run filepath agents install ${type}.`;
}
