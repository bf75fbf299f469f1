import type { Provider, ProviderTest } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';

/** The providers of the settings page. */
export class ProvidersView {
  providers = $state.raw<readonly Provider[] | null>(null);
  problem = $state<string | null>(null);
  /** What came of testing, by id; null while it is asked. */
  tests = $state<Record<string, ProviderTest | null>>({});

  async load(): Promise<void> {
    try {
      this.providers = await client.provider.list();
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }

  async test(id: string): Promise<void> {
    this.tests[id] = null;
    try {
      this.tests[id] = await client.provider.test(id);
    } catch (error) {
      const message = (await problemOf(error)) ?? '';
      this.tests[id] = { ok: false, status: null, message, models: [] };
    }
  }

  async remove(id: string): Promise<void> {
    try {
      await client.provider.delete(id);
      delete this.tests[id];
      await this.load();
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }
}
