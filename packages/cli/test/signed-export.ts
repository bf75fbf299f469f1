import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import {
  CF_SKY_VERSION,
  chainHash,
  EXPORT_VERSION,
  exportClaim,
  type ExportLine,
  GENESIS,
  newRunId,
  newThreadId,
  SESSION_VERSION,
  type ThreadId,
} from '@filepath/protocol';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export type Key = { publicKey: string; sign(claim: string): string };

export function newKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    publicKey: Buffer.from(x, 'base64url').toString('base64'),
    sign: (claim) => sign(null, Buffer.from(claim), privateKey).toString('base64'),
  };
}

export type EventLine = Extract<ExportLine, { type: 'event' }>;
type ReceiptLine = Extract<ExportLine, { type: 'receipt' }>;
export type EndLine = Extract<ExportLine, { type: 'end' }>;

/** An export as the worker makes it. */
export function signedExport(key: Key, contents: readonly string[], thread = newThreadId()) {
  let previous = GENESIS;
  const events = contents.map((content, index): EventLine => {
    const body = { type: 'text', content };
    const head = {
      seq: index + 1,
      thread,
      run: null,
      step: null,
      event: index + 1,
      at: '2026-01-01T00:00:00.000Z',
      source: 'fap' as const,
    };
    const hash = chainHash(sha256, previous, head, JSON.stringify(body));
    previous = hash;
    return { type: 'event', event: { ...head, body, hash } };
  });
  const receipts = [receipt(thread)];
  return {
    thread,
    header: {
      type: 'export' as const,
      version: EXPORT_VERSION as 1,
      liteclaw_session_version: SESSION_VERSION,
      thread,
      name: 'root',
      exportedAt: '2026-01-01T00:00:00.000Z',
    },
    events,
    receipts,
    end: endOf(key, thread, events.length, previous, receipts),
  };
}

export function endOf(
  key: Key,
  thread: string,
  count: number,
  head: string,
  signed: readonly ReceiptLine[],
): EndLine {
  const receipts = sha256(signed.map((line) => `${JSON.stringify(line.receipt)}\n`).join(''));
  const end = { count, head, receipts };
  const signature = key.sign(exportClaim(thread, end));
  return { type: 'end', ...end, publicKey: key.publicKey, signature };
}

export function ndjson(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function receipt(thread: ThreadId): ReceiptLine {
  return {
    type: 'receipt',
    receipt: {
      type: 'receipt.run',
      cf_sky_version: CF_SKY_VERSION,
      thread_id: thread,
      run_id: newRunId(),
      input_hash: sha256('in'),
      output_hash: sha256('out'),
      model_config_id: 'none',
      started_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:01.000Z',
      duration_ms: 1000,
      status: 'completed',
      ended_by: 3,
      verified: true,
      events: 3,
    },
  };
}
