import { parseArgs } from 'node:util';
import { FilepathError, type Line } from '@filepath/protocol';
import { exportLines } from '../export-lines.ts';
import type { Io } from '../io.ts';
import { UsageError, withUsage } from '../usage.ts';
import { verifyExport } from '../verify-export.ts';
import { beginsSkyExport, verifySkyExport } from '../verify-sky-export.ts';

const USAGE = `Usage: filepath verify FILE [--key BASE64]

Checks an export of a thread or of a chat: that nothing in it is changed, missing or reordered, that its end is
there, and that it is signed. FILE is - for stdin. With --key the export must be signed by that instance's
public key.`;

const KEY_BYTES = 32;

export async function verify(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, key: { type: 'string' } },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) {
      throw new UsageError('Name one file to verify.');
    }
    const key = values.key === undefined ? null : Buffer.from(values.key, 'base64');
    if (key !== null && key.length !== KEY_BYTES) {
      throw new UsageError(`The key is ${key.length} bytes long instead of ${KEY_BYTES}.`);
    }
    const result = await verdictOn(exportLines(file, io), key).catch(notReadable);
    if ('fault' in result) {
      io.out(`FAULT: ${result.fault}`);
      return 1;
    }
    io.out(`ok: ${result.counts} of ${result.thread}`);
    io.out(`head ${result.head}`);
    io.out(
      `signed by ${result.key}${key === null ? ' (not compared: use --key)' : ', as expected'}`,
    );
    return 0;
  });
}

type Verdict = { fault: string } | { counts: string; thread: string; head: string; key: string };

async function verdictOn(lines: AsyncGenerator<Line>, key: Buffer | null): Promise<Verdict> {
  const first = await lines.next();
  const all = withFirst(first.done ? [] : [first.value], lines);
  if (!first.done && beginsSkyExport(first.value)) {
    const found = await verifySkyExport(all, key);
    if (!found.ok) return found;
    const { messages, events, receipts, memory } = found.summary;
    const counts = `${messages} messages, ${events} events, ${receipts} receipts, ${memory} memory`;
    return { ...found.summary, counts };
  }
  const found = await verifyExport(all, key);
  if (!found.ok) return found;
  return { ...found, counts: `${found.events} events, ${found.receipts} receipts` };
}

async function* withFirst(read: readonly Line[], rest: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield* read;
  yield* rest;
}

function notReadable(error: unknown): never {
  if (error instanceof Error && 'code' in error && 'syscall' in error) {
    throw new FilepathError('bad_request', `The export cannot be read: ${error.message}`);
  }
  throw error;
}
