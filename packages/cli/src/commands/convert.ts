import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FilepathError } from '@filepath/protocol';
import { readSkyExport, SkyExportFault, toPiSession } from '@filepath/protocol/sky';
import { exportLines } from '../export-lines.ts';
import type { Io } from '../io.ts';
import { UsageError, withUsage } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';

const USAGE = `Usage: filepath convert EXPORT --to pi -o FILE [--cwd DIR]

Makes a session file of pi from an export of a chat, if nothing in it was changed. EXPORT is - for stdin. DIR is the
directory of the session, this one unless told.`;

export async function convert(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        to: { type: 'string' },
        output: { type: 'string', short: 'o' },
        cwd: { type: 'string' },
      },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const [file] = positionals;
    const { output } = values;
    if (file === undefined || positionals.length > 1) throw new UsageError('Name one export.');
    if (values.to !== 'pi') throw new UsageError('Say what to make of it: --to pi.');
    if (output === undefined) throw new UsageError('Say where to write it: -o FILE.');
    const session = toPiSession(readSkyExport(exportLines(file, io)), resolve(values.cwd ?? '.'));
    await writeWhole(output, async (sink) => {
      for await (const line of session) await sink(line);
    }).catch(explained);
    io.err(`written to ${output}`);
    return 0;
  });
}

function explained(error: unknown): never {
  if (error instanceof SkyExportFault) {
    throw new FilepathError('bad_request', `The export is not converted: ${error.message}.`);
  }
  if (error instanceof Error && 'code' in error && 'syscall' in error) {
    throw new FilepathError('bad_request', `The export is not converted: ${error.message}`);
  }
  throw error;
}
