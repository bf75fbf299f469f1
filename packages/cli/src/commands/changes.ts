import { parseArgs } from 'node:util';
import type { ChangedFile } from '@filepath/protocol';
import type { Io } from '../io.ts';
import { oneNode, runningClient } from '../the-instance.ts';
import { withUsage } from '../usage.ts';

const USAGE = `Usage: filepath changes NODE [--file PATH]

Lists what an agent changed since its workspace was made, or the hunks of one file.`;

export async function changes(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, file: { type: 'string' } },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const told = await runningClient(io).node.changes(oneNode(positionals), values.file);
    for (const file of told.files) io.out(values.file === undefined ? line(file) : hunks(file));
    if (told.files.length === 0) io.err('nothing is changed');
    if (told.truncated) io.err('there are more files');
    if (values.file !== undefined && told.files.some((file) => file.truncated)) {
      io.err('the rest of its changes is too long to be shown');
    }
    return 0;
  });
}

function line({ path, status, additions, deletions, uncommitted }: ChangedFile): string {
  const counts = additions === null ? 'binary' : `+${additions} -${deletions}`;
  return `${uncommitted ? '*' : ' '} ${status.padEnd(8)} ${counts.padEnd(12)} ${shown(path)}`;
}

function hunks(file: ChangedFile): string {
  const parts = file.hunks.map(
    ({ from, to, text }) => `@@ -${from.join()} +${to.join()} @@\n${text}`,
  );
  return [line(file), ...parts].join('\n').trimEnd();
}

/** A path is an agent's text: nothing in it moves the cursor. */
const shown = (path: string): string => (/^[^\p{Cc}]*$/u.test(path) ? path : JSON.stringify(path));
