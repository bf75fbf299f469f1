import type { Liteclaw, LiteclawPost } from '@filepath/protocol';
import { problemOf } from '../api.ts';
import { liteclaw } from '../liteclaw-api.ts';

/** Whether the person has a LiteClaw, and what is done about it. */
export class LiteclawView {
  /** Null: not known yet. */
  claw = $state.raw<Liteclaw | null>(null);
  doing = $state<LiteclawPost['action'] | null>(null);
  problem = $state<string | null>(null);
  /** What was done last, in words. */
  told = $state('');

  async load(): Promise<void> {
    try {
      this.claw = await liteclaw.get();
      this.problem = null;
    } catch (error) {
      this.problem = await problemOf(error);
    }
  }

  /** Says whether it was done. */
  async act(action: LiteclawPost['action']): Promise<boolean> {
    if (this.doing !== null) return false;
    this.doing = action;
    try {
      this.claw = await liteclaw.post(action);
      this.problem = null;
      if (action === 'reset') this.told = 'LiteClaw has forgotten everything.';
      return true;
    } catch (error) {
      this.problem = await problemOf(error);
      return false;
    } finally {
      this.doing = null;
    }
  }
}
