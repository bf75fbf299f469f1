import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  type ChainFault,
  ChainReader,
  exportClaim,
  type ExportEnd,
  ExportLine,
  issuesOf,
  type Line,
  type LogEvent,
  type Receipt,
} from '@filepath/protocol';

export type Verified =
  | { ok: true; thread: string; events: number; receipts: number; head: string; key: string }
  | { ok: false; fault: string };

type Parsed =
  | Exclude<ExportLine, { type: 'receipt' }>
  /** `raw` has the keys as they were written, which is what was signed. */
  | { type: 'receipt'; receipt: Receipt; raw: string }
  | { type: 'unreadable'; number: number; reason: string };

/** Reads an export as it comes, in bounded memory, and names the first thing that is wrong with it. */
export async function verifyExport(
  lines: AsyncIterable<Line>,
  expectedKey: Buffer | null,
): Promise<Verified> {
  const reading = lines[Symbol.asyncIterator]();
  const next = async (): Promise<Parsed | null> => {
    const { done, value } = await reading.next();
    return done ? null : parseLine(value);
  };
  const header = await next();
  if (header?.type !== 'export') return bad('this is no export: its first line is no header');
  const chain = new ChainReader(sha256);
  let receipts = 0;
  const receiptsHash = createHash('sha256');
  for (;;) {
    const line = await next();
    switch (line?.type) {
      case undefined:
        return bad(`the tail is cut: no end after event ${chain.count}`);
      case 'unreadable':
        return bad(unreadable(line, chain.count, receipts));
      case 'export':
        return bad(`a second header follows event ${chain.count}`);
      case 'event': {
        if (receipts > 0) return bad(`event ${line.event.seq} is reordered: it follows a receipt`);
        if (line.event.thread !== header.thread) {
          return bad(
            `event ${line.event.seq} is changed: it is of the thread ${line.event.thread}`,
          );
        }
        const fault = chain.next(line.event);
        if (fault) return bad(await explain(fault, line.event, next));
        break;
      }
      case 'receipt':
        if (threadOf(line.receipt) !== header.thread) {
          return bad(`receipt ${receipts + 1} is changed: it is of another thread`);
        }
        receipts += 1;
        receiptsHash.update(`${line.raw}\n`);
        break;
      case 'end': {
        const digest = receiptsHash.digest('hex');
        const fault = faultOfEnd(line, header.thread, chain, digest, expectedKey);
        if (fault !== null) return bad(fault);
        if ((await next()) !== null) return bad('something follows the end');
        return {
          ok: true,
          thread: header.thread,
          events: chain.count,
          receipts,
          head: chain.head,
          key: line.publicKey,
        };
      }
    }
  }
}

function faultOfEnd(
  end: ExportEnd,
  thread: string,
  chain: ChainReader,
  receipts: string,
  expectedKey: Buffer | null,
): string | null {
  if (end.count > chain.count) {
    return `the tail is cut: event ${chain.count + 1} is missing, the end says ${end.count} events`;
  }
  if (end.count < chain.count) {
    return `event ${end.count + 1} is added: the end says ${end.count} events`;
  }
  if (end.head !== chain.head) {
    return 'the end is changed: its head is not the hash of the last event';
  }
  if (end.receipts !== receipts) return 'a receipt is changed, missing, added or reordered';
  const key = Buffer.from(end.publicKey, 'base64');
  if (!isSigned(exportClaim(thread, end), key, end.signature)) {
    return 'the signature is bad: the export was not signed by the key it names';
  }
  if (expectedKey !== null && !expectedKey.equals(key)) {
    return `the key is another one: it is signed by ${end.publicKey}`;
  }
  return null;
}

function isSigned(claim: string, key: Buffer, signature: string): boolean {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    return verify(null, Buffer.from(claim), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** A gap is a missing event, unless that event comes later. */
async function explain(
  fault: ChainFault,
  event: LogEvent,
  next: () => Promise<Parsed | null>,
): Promise<string> {
  if (fault.fault === 'missing') {
    for (let line = await next(); line !== null; line = await next()) {
      if (line.type === 'event' && line.event.seq === fault.seq) {
        return `event ${fault.seq} is reordered: it comes after event ${event.seq}`;
      }
    }
  }
  return `event ${fault.seq} is ${fault.fault}: ${fault.detail}`;
}

function unreadable(
  line: { number: number; reason: string },
  events: number,
  receipts: number,
): string {
  const what = receipts > 0 ? `receipt ${receipts + 1} or the end` : `event ${events + 1}`;
  return `${what} is changed: line ${line.number} cannot be read (${line.reason})`;
}

function parseLine(line: Line): Parsed {
  const { number } = line;
  if (line.text === null) return { type: 'unreadable', number, reason: line.problem };
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return { type: 'unreadable', number, reason: 'not JSON' };
  }
  // Other spellings of the same value, a key given twice among them, are not what was exported.
  if (JSON.stringify(value) !== line.text) {
    return { type: 'unreadable', number, reason: 'not written as exports are' };
  }
  const parsed = ExportLine.safeParse(value);
  if (parsed.success) {
    const { data } = parsed;
    if (data.type !== 'receipt') return data;
    return { ...data, raw: JSON.stringify(Reflect.get(Object(value), 'receipt')) };
  }
  const [first] = issuesOf(parsed.error);
  return { type: 'unreadable', number, reason: `${first?.path ?? ''}: ${first?.reason ?? ''}` };
}

function threadOf(receipt: Receipt): string {
  return receipt.thread_id;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function bad(fault: string): Verified {
  return { ok: false, fault };
}
