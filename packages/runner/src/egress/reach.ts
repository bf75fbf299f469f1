import type { Socket } from 'node:net';
import { Answer } from './answers.ts';
import { DeniedAddress, type Dialer } from './dialer.ts';
import type { Denial, EgressPolicy } from './policy.ts';
import { showTarget, type Target } from './target.ts';

/** The one place where an agent's wish becomes a connection: policy by name, then addresses, then the dial. */
export class Reach {
  readonly #policy: EgressPolicy;
  readonly #dialer: Dialer;
  readonly #denied: (target: Target, denial: Denial) => void;

  constructor(
    policy: EgressPolicy,
    dialer: Dialer,
    denied: (target: Target, denial: Denial) => void,
  ) {
    this.#policy = policy;
    this.#dialer = dialer;
    this.#denied = denied;
  }

  /** Throws an Answer for whoever asked. */
  async open(target: Target): Promise<Socket> {
    const denial = this.#policy.denial(target.host, target.port);
    if (denial !== null) throw this.deny(target, denial);
    try {
      return await this.#dialer.dial(target.host, target.port);
    } catch (error) {
      if (error instanceof DeniedAddress) throw this.deny(target, error.denial);
      throw new Answer(502, error instanceof Error ? error.message : 'it cannot be reached');
    }
  }

  deny(target: Target, denial: Denial): Answer {
    this.#denied(target, denial);
    const where = showTarget(target, null);
    return new Answer(
      403,
      `${where} is out of reach for this agent: ${denial.reason}. A person can change that: ${denial.hint}.`,
    );
  }
}
