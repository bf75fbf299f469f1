import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { tempDir } from '@filepath/testkit';
import { writeInstance } from '../src/instance-file.ts';
import type { Io } from '../src/io.ts';
import { recordedIo } from './io.ts';
import { serve } from './server.ts';

type Command = (args: string[], io: Io) => Promise<number>;

const startedAt = '2026-03-01T10:00:00.000Z';

/** Runs a command against an instance that answers like this; gives what was asked of it. */
export async function against(command: Command, args: string[], status: number, answer: unknown) {
  using dir = tempDir();
  const home = join(dir.path, 'home');
  const asked: string[] = [];
  using server = await serve((request, response) => {
    void text(request).then((body) => {
      asked.push(`${request.method} ${request.url} ${body}`.trim());
      response.writeHead(status).end(answer === null ? undefined : JSON.stringify(answer));
    });
  });
  await writeInstance(home, { url: server.url, pid: process.pid, startedAt, token: 'token' });
  const io = recordedIo('', { FILEPATH_HOME: home });
  return { code: await command(args, io), asked, said: io.said, errors: io.errors };
}
