import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { FilepathError, LIMITS } from '@filepath/protocol';
import type { Io } from '../io.ts';
import { readLines } from '../lines.ts';
import { UsageError, withUsage } from '../usage.ts';
import { verifyExport } from '../verify-export.ts';

const USAGE = `Usage: filepath verify FILE [--key BASE64]

Checks an export: that no event is changed, missing or reordered, that its end is there, and that it is
signed. FILE is - for stdin. With --key the export must be signed by that instance's public key.`;

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
    const input = file === '-' ? io.stdin : createReadStream(file);
    // An event's row is bounded by a frame; its line adds a little around it.
    const result = await verifyExport(readLines(input, 2 * LIMITS.frame), key).catch(notReadable);
    if (!result.ok) {
      io.out(`FAULT: ${result.fault}`);
      return 1;
    }
    io.out(`ok: ${result.events} events, ${result.receipts} receipts of ${result.thread}`);
    io.out(`head ${result.head}`);
    io.out(
      `signed by ${result.key}${key === null ? ' (not compared: use --key)' : ', as expected'}`,
    );
    return 0;
  });
}

function notReadable(error: unknown): never {
  if (error instanceof Error && 'code' in error && 'syscall' in error) {
    throw new FilepathError('bad_request', `The export cannot be read: ${error.message}`);
  }
  throw error;
}
