import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ErrorBody, type SnapshotId, type SnapshotSource, type ThreadId } from '@filepath/protocol';
import { Refusal } from '../executor/executor.ts';
import { reasonOf } from '../log.ts';
import type { Exported } from './export.ts';

/** Waits between tries: the worker may be starting again. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];
const IDLE_MS = 60_000;
const ANSWER_BYTES = 16_384;

export type Worker = { url: string; token: string };

/** Hands a snapshot to the worker. Repeatable. Throws a Refusal with what the worker says. */
export function upload(
  worker: Worker,
  name: { thread: ThreadId; snapshot: SnapshotId },
  { path, size, sha256 }: Pick<Exported, 'path' | 'size' | 'sha256'>,
  signal: AbortSignal,
): Promise<void> {
  return withTries(signal, async () => {
    const headers = {
      'content-length': String(size),
      'content-type': 'application/x-tar',
      'x-filepath-sha256': sha256,
    };
    const at = `/link/snapshot/${name.thread}/${name.snapshot}`;
    const { request, answer } = dial(worker, 'PUT', at, headers, signal);
    // An answer may come before everything is sent: then it says why.
    const sent = pipeline(createReadStream(path), request).catch((error: unknown) => error);
    const response = await answer;
    await expectOk(response);
    response.resume();
    await sent;
  });
}

/** Brings a snapshot that the worker has into a file, and checks that it is this one. Throws a Refusal. */
export function download(
  worker: Worker,
  thread: ThreadId,
  { id, size, sha256 }: SnapshotSource,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  return withTries(signal, async () => {
    const { request, answer } = dial(worker, 'GET', `/link/snapshot/${thread}/${id}`, {}, signal);
    request.end();
    const response = await answer;
    await expectOk(response);
    const hash = createHash('sha256');
    let bytes = 0;
    const check = new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        bytes += chunk.length;
        hash.update(chunk);
        if (bytes <= size) next(null, chunk);
        else next(new Refusal(`the snapshot ${id} is larger than it should be`));
      },
    });
    await pipeline(response, check, createWriteStream(path, { mode: 0o600 }));
    if (bytes < size) throw new Error('the snapshot came cut short');
    if (hash.digest('hex') !== sha256) {
      throw new Refusal(`the snapshot ${id} is not what it was: its hash differs`);
    }
  });
}

export function dial(
  { url, token }: Worker,
  method: string,
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): { request: ClientRequest; answer: Promise<IncomingMessage> } {
  const target = new URL(path, url);
  const request = (target.protocol === 'https:' ? overHttps : overHttp)(target, {
    method,
    signal,
    // A kept connection may belong to an engine that is gone.
    agent: false,
    timeout: IDLE_MS,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  request.on('timeout', () => request.destroy(new Error('the worker does not go on')));
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  return { request, answer };
}

/** What the worker refuses stays refused; anything else is worth another try. */
export async function expectOk(response: IncomingMessage): Promise<void> {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return;
  let text = '';
  for await (const chunk of response) {
    if (text.length < ANSWER_BYTES) text += String(chunk);
  }
  const message = messageIn(text) ?? `the worker answered with ${status}`;
  if (status >= 400 && status < 500) throw new Refusal(message);
  throw new Error(message);
}

function messageIn(text: string): string | null {
  try {
    return ErrorBody.parse(JSON.parse(text)).error.message;
  } catch {
    return null;
  }
}

export async function withTries(signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  for (const wait of [...WAITS_MS, null]) {
    try {
      return await task();
    } catch (error) {
      if (error instanceof Refusal || signal.aborted) throw error;
      if (wait === null) throw new Refusal(`the worker is out of reach: ${reasonOf(error)}`);
      await delay(wait, undefined, { signal });
    }
  }
}
