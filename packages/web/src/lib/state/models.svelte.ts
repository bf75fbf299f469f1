import type { ModelList } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';

/** The models as the worker knows them now. */
export class Models {
  list = $state.raw<ModelList | null>(null);
  problem = $state<string | null>(null);

  async load(): Promise<void> {
    try {
      this.list = await client.models();
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }
}
