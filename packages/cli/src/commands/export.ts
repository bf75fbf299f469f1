import { parseArgs } from 'node:util';
import { type Client, createClient } from '@filepath/client';
import { ExportEnd, FilepathError, LIMITS, readLines, ThreadId } from '@filepath/protocol';
import { SkyExportLine } from '@filepath/protocol/sky';
import { findInstance, homeOf } from '../instance-file.ts';
import type { Io } from '../io.ts';
import { UsageError, withUsage } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';

const USAGE = `Usage: filepath export THREAD [-o FILE]

Writes a thread or your LiteClaw, by its id, as signed NDJSON to stdout, or to FILE, whole or not at all.`;

export { exportThread as export };

export async function exportThread(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        output: { type: 'string', short: 'o' },
      },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const thread = ThreadId.safeParse(positionals[0]);
    if (!thread.success || positionals.length > 1) {
      throw new UsageError('Name one thread by its id, th_….');
    }
    const instance = findInstance(io.env);
    if (instance === null) {
      throw new FilepathError(
        'unavailable',
        `No filepath runs on ${homeOf(io.env)}. Start it with "npm start", then export again.`,
      );
    }
    const client = createClient({ baseUrl: instance.url, token: instance.token });
    const body = await bodyOf(client, thread.data, io.signal);
    if (values.output === undefined) {
      await copy(body, (line) => io.out(line));
    } else {
      await writeWhole(values.output, (sink) => copy(body, (line) => sink(`${line}\n`)));
      io.err(`exported to ${values.output}`);
    }
    return 0;
  });
}

/** A chat has the id of a thread, and is none that the instance has among its threads. */
async function bodyOf(
  client: Client,
  id: ThreadId,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  try {
    return await client.thread.export(id, signal);
  } catch (error) {
    if (!(error instanceof FilepathError) || error.code !== 'not_found') throw error;
    return client.chat.export(id, signal);
  }
}

/** Throws when the stream ends before the export does. */
async function copy(
  body: AsyncIterable<Uint8Array>,
  sink: (line: string) => void | Promise<unknown>,
): Promise<void> {
  let last = '';
  for await (const line of readLines(body, 2 * LIMITS.frame)) {
    if (line.text === null) {
      throw new FilepathError('internal', `The export has a line that is ${line.problem}.`);
    }
    last = line.text;
    await sink(last);
  }
  if (!isEnd(last)) {
    throw new FilepathError('unavailable', 'The export was cut off. Try again.');
  }
}

function isEnd(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return (
      ExportEnd.safeParse(value).success || SkyExportLine.safeParse(value).data?.type === 'end'
    );
  } catch {
    return false;
  }
}
