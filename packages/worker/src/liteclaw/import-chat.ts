import { FilepathError, type LiteclawImported, readLines, type ThreadId } from '@filepath/protocol';
import {
  readSkyExport,
  SKY_LINE,
  SkyExportFault,
  type SkyExportLine,
  type SkyExportSummary,
} from '@filepath/protocol/sky';
import type { Env } from '../env.ts';
import { notFound, unwrap } from '../result.ts';
import type { ChatPlace } from '../user/user-object.ts';
import type { Chat } from './chat.ts';
import type { StagedLine } from './import-stage.ts';
import { chatOf, demand } from './spawn.ts';

/** Bytes of an export that is taken in. */
const MOST = 512 * 1024 * 1024;
/** Characters that go to the object at once. */
const TOGETHER = 512 * 1024;

type Lines = AsyncGenerator<SkyExportLine, SkyExportSummary>;

/**
 * Makes the chat of an export the caller's LiteClaw, with its id. Everything is read and found to be right before
 * anything of it counts.
 */
export async function importChat(
  env: Env,
  userId: string,
  id: ThreadId,
  body: ReadableStream<Uint8Array> | null,
): Promise<LiteclawImported> {
  await demand(env, userId);
  const user = env.USER.getByName(userId);
  const place = await user.liteclaw();
  if (place !== null && place.id !== id && !(await (await chatOf(env, place)).isEmpty()))
    throw new FilepathError(
      'conflict',
      `You have another LiteClaw, ${place.id}, and one is all that a user has. Export it, reset it, then import again.`,
    );
  const lines = readSkyExport(readLines(bounded(body), SKY_LINE));
  try {
    const header = await headerOf(lines, id).catch((error: unknown) => {
      // An id that is not the caller's names nothing, unless the export does.
      throw place?.id === id ? error : notFound('this chat');
    });
    const chat = await chatOf(env, { id });
    const key = unwrap(await chat.importBegin(userId));
    try {
      const summary = await staged(chat, key, header, lines);
      const { createdAt, missingFiles } = unwrap(await chat.importEnd(key, userId, summary));
      unwrap(await user.adoptLiteclaw(place?.id ?? null, { id, createdAt }));
      if (place !== null && place.id !== id) await leave(env, place);
      const { messages, events, receipts, key: signedBy } = summary;
      return { id, createdAt, messages, events, receipts, signedBy, missingFiles };
    } catch (error) {
      await chat.importDrop(key);
      throw error;
    }
  } catch (error) {
    if (!(error instanceof SkyExportFault)) throw error;
    throw new FilepathError('bad_request', `Nothing was imported: ${error.message}.`);
  }
}

/** The chat that was the user's before is nobody's way any more: who is connected to it is sent away. */
async function leave(env: Env, place: ChatPlace): Promise<void> {
  await (await chatOf(env, place)).left();
  await env.ChatTunnels.getByName(place.id).revokeAll();
}

async function headerOf(lines: Lines, id: ThreadId): Promise<SkyExportLine> {
  const { done, value } = await lines.next();
  if (done === true || value.type !== 'sky.export')
    throw new SkyExportFault(1, 'this is no export: its first line is no header');
  const { thread_id: thread } = value.body;
  if (thread !== id) throw new SkyExportFault(1, `it is of another chat, ${thread}`);
  return value;
}

async function staged(
  chat: DurableObjectStub<Chat>,
  key: string,
  header: SkyExportLine,
  lines: Lines,
): Promise<SkyExportSummary> {
  let batch: StagedLine[] = [];
  let size = 0;
  const take = async ({ n, type, body }: SkyExportLine): Promise<void> => {
    if (type === 'end') return;
    const json = JSON.stringify(body);
    batch.push({ n, type, json });
    size += json.length;
    if (size >= TOGETHER) await send();
  };
  const send = async (): Promise<void> => {
    unwrap(await chat.importAdd(key, batch));
    batch = [];
    size = 0;
  };
  await take(header);
  for (;;) {
    const { done, value } = await lines.next();
    if (done === true) {
      await send();
      return value;
    }
    await take(value);
  }
}

async function* bounded(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  let size = 0;
  if (body === null) return;
  for await (const part of body) {
    size += part.length;
    if (size > MOST)
      throw new FilepathError('too_large', `An export that is imported has at most ${MOST} bytes.`);
    yield part;
  }
}
