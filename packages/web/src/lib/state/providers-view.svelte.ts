import type { Provider, ProviderTest } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { RemoteList } from './remote-list.svelte.ts';

/** The providers of the settings page. */
export class ProvidersView {
  readonly list = new RemoteList<Provider>(() => client.provider.list());
  /** What came of testing, by id; null while it is asked. */
  tests = $state<Record<string, ProviderTest | null>>({});

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
    if (await this.list.change(() => client.provider.delete(id))) delete this.tests[id];
  }
}
