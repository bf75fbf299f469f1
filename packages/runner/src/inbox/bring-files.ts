import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  AgentInput,
  type Attachment,
  INBOX,
  type InputLine,
  type ThreadId,
} from '@filepath/protocol';
import { type Place, Refusal } from '../executor/executor.ts';
import { isDiskFull } from '../files.ts';
import { reasonOf } from '../log.ts';
import { dial, expectOk, withTries, type Worker } from '../snapshot/transfer.ts';
import { writeBeneath } from '../write-beneath.ts';

export type Inbox = { thread: ThreadId; place: Place; worker: Worker };

/** The files that an input names. */
export function filesOf({ line }: InputLine): readonly Attachment[] {
  if (!line.includes('"attachments"')) return [];
  const input = AgentInput.safeParse(JSON.parse(line)).data;
  return input?.type === 'message' ? (input.attachments ?? []) : [];
}

/** Puts files where the agent finds them, in its home. Repeatable. Throws a Refusal. */
export async function bringFiles(
  inbox: Inbox,
  files: readonly Attachment[],
  signal: AbortSignal,
): Promise<void> {
  for (const file of files) {
    const name = nameIn(file);
    const content = await fetched(inbox, file, signal);
    try {
      writeBeneath(join(inbox.place.dir, 'home'), ['inbox', name], content, inbox.place.uid);
    } catch (error) {
      if (isDiskFull(error)) throw error;
      throw new Refusal(`the file ${file.name} cannot be put into its home: ${reasonOf(error)}`);
    }
  }
}

/** The worker names a file of the inbox, and nothing else. */
function nameIn({ path, name }: Attachment): string {
  const last = path.startsWith(`${INBOX}/`) ? path.slice(INBOX.length + 1) : '';
  if (last !== '' && last !== '.' && last !== '..' && !/[/\0]/.test(last)) return last;
  throw new Refusal(`the file ${name} has no place in the inbox`);
}

async function fetched(
  { thread, worker }: Inbox,
  { name, bytes, sha256 }: Attachment,
  signal: AbortSignal,
): Promise<Buffer> {
  let content = Buffer.alloc(0);
  await withTries(signal, async () => {
    const { request, answer } = dial(worker, 'GET', `/link/file/${thread}/${sha256}`, {}, signal);
    request.end();
    const response = await answer;
    await expectOk(response);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytes) throw new Refusal(`the file ${name} is larger than it should be`);
      chunks.push(chunk);
    }
    if (size < bytes) throw new Error('the file came cut short');
    content = Buffer.concat(chunks);
    if (createHash('sha256').update(content).digest('hex') === sha256) return;
    throw new Refusal(`the file ${name} is not what it was: its hash differs`);
  });
  return content;
}
