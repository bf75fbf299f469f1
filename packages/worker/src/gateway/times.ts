import { RENEW_MS } from './contract.ts';

/** How long the gateway waits, in milliseconds. */
export type Times = {
  /** For the body of a request: large ones share a room. */
  readonly upload: number;
  /** For the beginning of an answer. */
  readonly firstByte: number;
  /** For the next part of one. */
  readonly idle: number;
  /** For an agent that reads nothing. */
  readonly stall: number;
  /** For the rest of an answer whose agent has left: its count is at the end. */
  readonly grace: number;
  /** Between renewals of a reservation. */
  readonly renew: number;
  /** How often the others are looked at. */
  readonly tick: number;
};

export const TIMES: Times = {
  upload: 120_000,
  firstByte: 600_000,
  idle: 300_000,
  stall: 300_000,
  grace: 10_000,
  renew: RENEW_MS,
  tick: 1_000,
};
