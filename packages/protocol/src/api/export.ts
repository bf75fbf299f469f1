import { z } from 'zod';
import { ThreadId } from '../ids.ts';
import { Receipt } from '../sky/receipts.ts';
import { LogEvent } from '../thread/log-event.ts';

/** An export is NDJSON: one header, the events in order, the receipts, one end. */
export const EXPORT_VERSION = 1;

export const ExportHeader = z.object({
  type: z.literal('export'),
  version: z.literal(EXPORT_VERSION),
  liteclaw_session_version: z.int(),
  thread: ThreadId,
  name: z.string(),
  exportedAt: z.iso.datetime(),
});

export const ExportEnd = z.object({
  type: z.literal('end'),
  count: z.int().min(0),
  head: z.string(),
  /** sha256 over the receipts' JSON, each ended by a newline. */
  receipts: z.string(),
  /** Ed25519 public key and signature, base64, over `exportClaim`. */
  publicKey: z.string(),
  signature: z.string(),
});
export type ExportEnd = z.infer<typeof ExportEnd>;

export const ExportLine = z.discriminatedUnion('type', [
  ExportHeader,
  z.object({ type: z.literal('event'), event: LogEvent }),
  z.object({ type: z.literal('receipt'), receipt: Receipt }),
  ExportEnd,
]);
export type ExportLine = z.infer<typeof ExportLine>;

/** What an export's signature covers. */
export function exportClaim(
  thread: string,
  end: { count: number; head: string; receipts: string },
): string {
  return `filepath export ${EXPORT_VERSION}\n${thread}\n${end.count}\n${end.head}\n${end.receipts}`;
}
