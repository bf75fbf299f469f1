import { openAsBlob } from 'node:fs';
import { parseArgs } from 'node:util';
import { FilepathError } from '@filepath/protocol';
import { readSkyExport, SkyExportFault } from '@filepath/protocol/sky';
import { exportLines } from '../export-lines.ts';
import type { Io } from '../io.ts';
import { runningClient } from '../the-instance.ts';
import { UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath import FILE [--key BASE64]

Makes the chat of an export your LiteClaw in the running instance, with its id. The one that you have must be empty.
Of an export in which something was changed nothing is imported. With --key it must be signed by that instance's
public key.`;

export async function importChat(args: string[], io: Io): Promise<number> {
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
    if (file === undefined || positionals.length > 1) throw new UsageError('Name one export.');
    if (file === '-') throw new UsageError('Name a file: an export is read twice.');
    const client = runningClient(io);
    const { thread, key } = await verified(file, io).catch(explained);
    if (values.key !== undefined && values.key !== key)
      throw new FilepathError('bad_request', `Nothing was imported: it is signed by ${key}.`);
    const found = await client.chat.import(thread, await openAsBlob(file), io.signal);
    io.out(
      `imported ${found.messages} messages, ${found.events} events, ${found.receipts} receipts of ${found.id}`,
    );
    for (const ref of found.missingFiles) io.err(`not here: ${ref}`);
    return 0;
  });
}

/** Whose chat it is and who signed it, if nothing in it was changed. */
async function verified(file: string, io: Io): Promise<{ thread: string; key: string }> {
  const reading = readSkyExport(exportLines(file, io));
  for (;;) {
    const { done, value } = await reading.next();
    if (done === true) return value;
  }
}

function explained(error: unknown): never {
  if (error instanceof SkyExportFault)
    throw new FilepathError('bad_request', `Nothing was imported: ${error.message}.`);
  if (error instanceof Error && 'code' in error && 'syscall' in error)
    throw new FilepathError('bad_request', `The export cannot be read: ${error.message}`);
  throw error;
}
