import { z } from 'zod';
import { RunnerId } from '../ids.ts';
import { RunnerBody } from '../thread/bodies.ts';
import { LINK_VERSION } from './control.ts';
import { InputLine } from './orders.ts';

/**
 * One socket per running agent, to its ThreadObject. The byte offset in the spool is the sequence number:
 * a `lines` frame covers the bytes from `from` to the last line's end, and is stored whole or not at all.
 */
const offset = z.int().min(0);

/** `[end offset, text]`, or `[end offset, head, reason, bytes]` for a line that cannot be text of an event. */
export const SpoolLine = z.union([
  z.tuple([offset, z.string()]),
  z.tuple([offset, z.string(), z.string().max(512), z.int().min(0)]),
]);
export type SpoolLine = z.infer<typeof SpoolLine>;

export const AgentToWorker = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('hello'),
    v: z.literal(LINK_VERSION),
    runner: RunnerId,
    epoch: z.int().min(1),
    /** Inputs that stand in the agent's stdin already. */
    inputs: z.int().min(0),
    /** The home in which the process runs: the first to say so has the epoch. Without one there is no process. */
    home: z.string().min(1).max(64).optional(),
  }),
  z.strictObject({ t: z.literal('lines'), from: offset, lines: z.array(SpoolLine).min(1) }),
  /** Observations count from 1 in each epoch. An `exit` comes after every line is acknowledged. */
  z.strictObject({ t: z.literal('observed'), id: z.int().min(1), body: RunnerBody }),
  z.strictObject({ t: z.literal('written'), input: z.int().min(1) }),
  /** Asked on a silent socket, and answered in the same word: a socket can be open and lead to nobody. */
  z.strictObject({ t: z.literal('here') }),
]);
export type AgentToWorker = z.infer<typeof AgentToWorker>;

export const AgentToRunner = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('welcome'), offset, observed: z.int().min(0) }),
  z.strictObject({ t: z.literal('ack'), offset, observed: z.int().min(0) }),
  z.strictObject({ t: z.literal('input'), input: InputLine }),
  z.strictObject({ t: z.literal('here') }),
  /** The epoch is over: its exit is stored, or another epoch has taken its place. Nothing more is read from it. */
  z.strictObject({ t: z.literal('over'), reason: z.enum(['ended', 'fenced', 'deleted']) }),
]);
export type AgentToRunner = z.infer<typeof AgentToRunner>;
