import { z } from 'zod';

/**
 * Ids are `prefix_` and 22 characters of base62. The prefix says what the id names, so that an id of
 * the wrong kind fails to parse instead of missing in a table.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;

function idSchema<P extends string, B extends string>(prefix: P, brand: B) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z]{${LENGTH}}$`), `expected an id like ${prefix}_…`)
    .brand(brand);
}

export const ThreadId = idSchema('th', 'ThreadId');
export type ThreadId = z.infer<typeof ThreadId>;
export const RunId = idSchema('run', 'RunId');
export type RunId = z.infer<typeof RunId>;
export const StepId = idSchema('st', 'StepId');
export type StepId = z.infer<typeof StepId>;
export const SessionId = idSchema('ses', 'SessionId');
export type SessionId = z.infer<typeof SessionId>;
export const JobId = idSchema('job', 'JobId');
export type JobId = z.infer<typeof JobId>;
/** A call to a model through the gateway. */
export const CallId = idSchema('call', 'CallId');
export type CallId = z.infer<typeof CallId>;
export const SnapshotId = idSchema('snap', 'SnapshotId');
export type SnapshotId = z.infer<typeof SnapshotId>;
export const MemoryId = idSchema('mem', 'MemoryId');
export type MemoryId = z.infer<typeof MemoryId>;
/** A message that waits in a thread's queue. */
export const MessageId = idSchema('msg', 'MessageId');
export type MessageId = z.infer<typeof MessageId>;
/** A token that a person made for a program. */
export const TokenId = idSchema('tok', 'TokenId');
export type TokenId = z.infer<typeof TokenId>;
/** A way to the user's own machine, for the tools of a chat. */
export const TunnelId = idSchema('tun', 'TunnelId');
export type TunnelId = z.infer<typeof TunnelId>;
export const PasskeyId = idSchema('pk', 'PasskeyId');
export type PasskeyId = z.infer<typeof PasskeyId>;

/** Runners are named by their owner, so that a configuration can mention them. */
export const RunnerId = z
  .string()
  .regex(/^rn_[0-9A-Za-z-]{1,64}$/, 'expected an id like rn_…')
  .brand('RunnerId');
export type RunnerId = z.infer<typeof RunnerId>;

/** 22 base62 characters carry 130 bits; the modulo bias of 62 in 256 is avoided by rejection. */
function suffix(): string {
  let out = '';
  while (out.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH * 2))) {
      if (byte < 248 && out.length < LENGTH) out += ALPHABET[byte % 62];
    }
  }
  return out;
}

export const newThreadId = (): ThreadId => ThreadId.parse(`th_${suffix()}`);
export const newRunId = (): RunId => RunId.parse(`run_${suffix()}`);
export const newStepId = (): StepId => StepId.parse(`st_${suffix()}`);
export const newSessionId = (): SessionId => SessionId.parse(`ses_${suffix()}`);
export const newJobId = (): JobId => JobId.parse(`job_${suffix()}`);
export const newCallId = (): CallId => CallId.parse(`call_${suffix()}`);
export const newMessageId = (): MessageId => MessageId.parse(`msg_${suffix()}`);
export const newMemoryId = (): MemoryId => MemoryId.parse(`mem_${suffix()}`);
export const newSnapshotId = (): SnapshotId => SnapshotId.parse(`snap_${suffix()}`);
export const newTokenId = (): TokenId => TokenId.parse(`tok_${suffix()}`);
export const newTunnelId = (): TunnelId => TunnelId.parse(`tun_${suffix()}`);
export const newPasskeyId = (): PasskeyId => PasskeyId.parse(`pk_${suffix()}`);

/** A job makes one snapshot, however often it is repeated. */
export const snapshotOfJob = (job: JobId): SnapshotId =>
  SnapshotId.parse(`snap_${job.slice('job_'.length)}`);
