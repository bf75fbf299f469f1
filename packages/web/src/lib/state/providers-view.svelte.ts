import type { Provider, ProviderTest } from '@filepath/protocol';
import { problemOf } from '../api.ts';
import { settings } from '../settings-api.ts';
import { RemoteList } from './remote-list.svelte.ts';

/** The providers of the settings page. */
export class ProvidersView {
  readonly list = new RemoteList<Provider>(() => settings.provider.list());
  /** What came of testing, by id; null while it is asked. */
  tests = $state<Record<string, ProviderTest | null>>({});

  async test(id: string): Promise<void> {
    this.tests[id] = null;
    try {
      this.tests[id] = await settings.provider.test(id);
    } catch (error) {
      const message = (await problemOf(error)) ?? '';
      this.tests[id] = { ok: false, status: null, message, models: [] };
    }
  }

  async remove(id: string): Promise<void> {
    if (await this.list.change(() => settings.provider.delete(id))) delete this.tests[id];
  }
}
