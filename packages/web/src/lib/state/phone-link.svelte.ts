import type { Address, DeviceLink, Session } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { settings } from '../settings-api.ts';
import { squares } from '../text/qr.ts';

/** A link that signs another device in, and the picture of it. */
export class PhoneLink {
  /** Those that other machines reach. Null: not known yet. */
  addresses = $state.raw<readonly Address[] | null>(null);
  sessions = $state.raw<readonly Session[]>([]);
  origin = $state('');
  /** The path to open. */
  to = $state('/');
  link = $state.raw<DeviceLink | null>(null);
  /** Dark squares as an SVG path. */
  path = $state('');
  size = $state(0);
  problem = $state<string | null>(null);
  busy = $state(false);

  /** Beginning with what the page itself was reached by, if that is one of them. */
  async load(here: string): Promise<void> {
    try {
      const addresses = (await settings.addresses()).filter(({ loopback }) => !loopback);
      this.addresses = addresses;
      this.origin =
        addresses.find(({ origin }) => origin === here)?.origin ?? addresses[0]?.origin ?? '';
      this.problem = null;
      if (addresses.length > 0) this.sessions = (await client.session.list()).slice(0, 50);
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }

  async make(): Promise<void> {
    this.busy = true;
    try {
      const [{ encode }, link] = await Promise.all([
        import('uqr'),
        settings.device.link({ origin: this.origin, to: this.to }),
      ]);
      const { data, size } = encode(link.url, { ecc: 'M', border: 3 });
      this.path = squares(data);
      this.size = size;
      this.link = link;
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }

  forget(): void {
    this.link = null;
    this.path = '';
  }
}
