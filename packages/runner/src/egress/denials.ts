import type { RunnerBody } from '@filepath/protocol';
import type { Denial } from './policy.ts';
import type { Target } from './target.ts';

const TOLD = 50;
const MORE: Denial = {
  reason: `more than ${TOLD} hosts were out of reach: further ones are not named`,
  hint: 'the agent gets the reason with each request',
};

export type DenialsContext = {
  epoch: number;
  /** What was told before, also by a runner that is gone. */
  told: readonly (RunnerBody | null)[];
  observe(body: RunnerBody): void;
  redact(text: string): string;
};

/** Tells of each host that was denied once in an epoch. Never more of it than host and port. */
export class Denials {
  readonly #context: DenialsContext;
  readonly #hosts: Set<string | null>;

  constructor(context: DenialsContext) {
    this.#context = context;
    this.#hosts = new Set(
      context.told.flatMap((body) => (body?.type === 'denied' ? [body.host] : [])),
    );
  }

  record({ host, port }: Target, denial: Denial): void {
    const shown = this.#context.redact(host).slice(0, 255);
    if (this.#hosts.has(shown) || this.#hosts.has(null)) return;
    if (this.#hosts.size >= TOLD) return this.#tell(null, null, MORE);
    this.#tell(shown, port, denial);
  }

  #tell(host: string | null, port: number | null, { reason, hint }: Denial): void {
    const context = this.#context;
    this.#hosts.add(host);
    context.observe({
      type: 'denied',
      epoch: context.epoch,
      host,
      port,
      reason: context.redact(reason).slice(0, 512),
      hint: context.redact(hint).slice(0, 1024),
    });
  }
}
