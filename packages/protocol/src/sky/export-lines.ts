import { z } from 'zod';
import { ThreadId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { LogEvent } from '../thread/log-event.ts';
import { MEMORY_SCHEMA_VERSION, SkyMemory } from './memory.ts';
import { SkyMessage } from './message.ts';
import { Receipt } from './receipts.ts';
import { Hash } from './values.ts';
import { SessionVersion, SkyVersion } from './versions.ts';

/**
 * A chat as lines of JSON: a header, messages, events of its log, receipts, what it remembers, an end. Each line has its
 * number, its type, its body and a hash over the line before it and these three.
 */
export const SKY_EXPORT_VERSION = 1;
/** Bytes of a line; an event's row is bounded by a frame, its line adds a little around it. */
export const SKY_LINE = 2 * LIMITS.frame;

/** The version of each format that an export of version 1 has. */
export const SKY_SCHEMAS = { message: 1, event: 1, receipt: 1, memory: MEMORY_SCHEMA_VERSION };
const schemaVersion = z.int().min(1);
const count = z.int().min(0);

export const SkyExportHeader = z.strictObject({
  version: z.int().min(1),
  liteclaw_session_version: SessionVersion,
  cf_sky_version: SkyVersion,
  schemas: z.strictObject({
    message: schemaVersion,
    event: schemaVersion,
    receipt: schemaVersion,
    memory: schemaVersion,
  }),
  thread_id: ThreadId,
  name: z.string().max(256),
  exported_at: z.iso.datetime(),
  /** The event of the log before the first that is here: of a chat that was reset, the last one before that. */
  after: z.strictObject({ seq: count, hash: Hash }),
});
export type SkyExportHeader = z.infer<typeof SkyExportHeader>;

export const SkyExportEnd = z.strictObject({
  messages: count,
  events: count,
  receipts: count,
  memory: count,
  /** The last event of the log. */
  log: z.strictObject({ seq: count, hash: Hash }),
  /** Ed25519 public key and signature over `skyExportClaim`, base64. */
  public_key: z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'expected 32 bytes in base64'),
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/, 'expected 64 bytes in base64'),
});
export type SkyExportEnd = z.infer<typeof SkyExportEnd>;

/** What the body of each type of line is, in the order in which they come. */
export const SKY_BODIES = {
  'sky.export': SkyExportHeader,
  message: SkyMessage,
  event: LogEvent,
  receipt: Receipt,
  memory: SkyMemory,
  end: SkyExportEnd,
} as const;
export type SkyLineType = keyof typeof SKY_BODIES;

export const SkyLineType = z.enum(Object.keys(SKY_BODIES) as [SkyLineType, ...SkyLineType[]]);

const line = <T extends SkyLineType, S extends z.ZodType>(type: T, body: S) =>
  z.strictObject({ n: z.int().min(1), type: z.literal(type), body, hash: Hash });

export const SkyExportLine = z.discriminatedUnion('type', [
  line('sky.export', SkyExportHeader),
  line('message', SkyMessage),
  line('event', LogEvent),
  line('receipt', Receipt),
  line('memory', SkyMemory),
  line('end', SkyExportEnd),
]);
export type SkyExportLine = z.infer<typeof SkyExportLine>;

/** The bytes that a line's hash covers, after the hash of the line before. `body` is its JSON as it stands there. */
export function skyLineInput(previous: string, n: number, type: SkyLineType, body: string): string {
  return `${previous}\n${JSON.stringify([n, type])}\n${body}`;
}

/** What the signature covers: the hash of the last line before the end stands for all of them. */
export function skyExportClaim(thread: string, lines: number, hash: string): string {
  return `filepath sky export ${SKY_EXPORT_VERSION}\n${thread}\n${lines}\n${hash}`;
}

export const skyRank = (type: SkyLineType): number => SkyLineType.options.indexOf(type);
