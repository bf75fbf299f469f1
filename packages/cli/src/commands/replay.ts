import { parseArgs } from 'node:util';
import { FilepathError } from '@filepath/protocol';
import { readSkyExport, SkyExportFault, SkyReplay } from '@filepath/protocol/sky';
import { exportLines } from '../export-lines.ts';
import type { Io } from '../io.ts';
import { UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath replay EXPORT

Verifies an export of a chat, does the calls of its tools again as far as their results follow from what the export
holds, and compares every call with its receipt. EXPORT is - for stdin. Exit 1 if anything differs.`;

/** Differences that are told one by one. */
const TOLD = 100;

export async function replay(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) throw new UsageError('Name one export.');
    const replaying = new SkyReplay();
    let differences = 0;
    try {
      for await (const line of readSkyExport(exportLines(file, io))) {
        for (const found of await replaying.next(line)) {
          differences += 1;
          if (differences <= TOLD) io.out(`DIFFERENCE: line ${found.line}: ${found.reason}`);
        }
      }
    } catch (error) {
      if (error instanceof SkyExportFault) {
        io.out(`FAULT: ${error.message}`);
        return 1;
      }
      return notReadable(error);
    }
    const { calls, replayed, missing } = replaying.counts;
    const told = `${calls} calls compared with their receipts, ${replayed} of them done again, ${missing} on files that are not in the export`;
    io.out(differences === 0 ? `ok: ${told}` : `${differences} differences: ${told}`);
    return differences === 0 ? 0 : 1;
  });
}

function notReadable(error: unknown): never {
  if (error instanceof Error && 'code' in error && 'syscall' in error) {
    throw new FilepathError('bad_request', `The export cannot be read: ${error.message}`);
  }
  throw error;
}
