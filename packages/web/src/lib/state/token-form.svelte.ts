import { TokenCreate, type TokenCreated } from '@filepath/protocol';
import { problemOf } from '../api.ts';
import { settings } from '../settings-api.ts';

export const LIFETIMES = [
  { days: '7', words: '7 days' },
  { days: '30', words: '30 days' },
  { days: '90', words: '90 days' },
  { days: '365', words: '1 year' },
  { days: '', words: 'No expiry' },
] as const;

/** What the dialog asks for, and the secret that it shows once. */
export class TokenForm {
  name = $state('');
  days = $state('90');
  created = $state.raw<TokenCreated | null>(null);
  problem = $state<string | null>(null);
  busy = $state(false);

  async save(): Promise<void> {
    const body = TokenCreate.safeParse({
      name: this.name,
      expiresInDays: this.days === '' ? null : Number(this.days),
    });
    if (!body.success) {
      this.problem = 'Give it a name of at most 64 characters.';
      return;
    }
    this.busy = true;
    try {
      this.created = await settings.token.create(body.data);
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }
}
