import { createHash } from 'node:crypto';
import {
  FilepathError,
  LIMITS,
  readSnapshotHead,
  Snapshot,
  SNAPSHOT_HEAD,
  type SnapshotId,
  type SnapshotManifest,
  type ThreadId,
} from '@filepath/protocol';

/** Most snapshots that one user has. */
const MOST = 200;

/**
 * An archive is kept under its id and a name of its own, and beside it what it is, with its hash and that name. The
 * second is written once, when the first is whole: an archive without it is none.
 */
const prefixOf = (owner: string): string => `snapshots/${encodeURIComponent(owner)}/`;
const newArchiveKey = (owner: string, id: SnapshotId): string =>
  `${prefixOf(owner)}${id}.${crypto.randomUUID()}.tar`;
const recordKey = (owner: string, id: SnapshotId): string => `${prefixOf(owner)}${id}.json`;

export type Arrival = {
  owner: string;
  id: SnapshotId;
  thread: ThreadId | null;
  request: Request;
  /** What its hash must be; null where nobody knows it. */
  sha256: string | null;
};

/**
 * Takes an archive in as it comes. Nothing is kept of one that is cut short, too large or no snapshot. One that is
 * stored stays as it is, whatever comes under its id.
 */
export async function storeSnapshot(bucket: R2Bucket, arrival: Arrival): Promise<Snapshot> {
  const { owner, id, thread, request } = arrival;
  const size = lengthOf(request);
  const before = await findSnapshot(bucket, owner, id);
  if (before) {
    // Whoever sends is not cut off: they would try again.
    await request.body?.pipeTo(new WritableStream()).catch(() => {
      throw cutShort();
    });
    return same(before, arrival.sha256);
  }
  const known = await recordsOf(bucket, owner);
  if (known.length >= MOST) {
    throw new FilepathError('cap_reached', `there are ${MOST} snapshots: delete one first`);
  }
  const reader = request.body?.getReader({ mode: 'byob' });
  if (reader === undefined) throw new FilepathError('bad_request', 'Send the archive as the body.');
  const { head, manifest } = await readHead(reader);
  const key = newArchiveKey(owner, id);
  const { readable, writable } = new FixedLengthStream(size);
  const stored = bucket.put(key, readable);
  // It is awaited below; meanwhile it must not count as unhandled.
  stored.catch(() => undefined);
  const writer = writable.getWriter();
  try {
    const sha256 = await copy(reader, writer, head, arrival.sha256);
    await stored;
    const snapshot: Snapshot = { id, thread, sha256, size, manifest };
    const kept = await bucket.put(recordKey(owner, id), JSON.stringify(snapshot), {
      customMetadata: { thread: thread ?? '', archive: key },
      onlyIf: { etagDoesNotMatch: '*' },
    });
    if (kept) return snapshot;
    // Another request with it was faster.
    await bucket.delete(key);
    return same(await findSnapshot(bucket, owner, id), sha256);
  } catch (error) {
    await writer.abort().catch(() => undefined);
    await stored.catch(() => undefined);
    await bucket.delete(key);
    throw error instanceof FilepathError ? error : cutShort();
  }
}

/** The answer to one that comes again: it is done if it is the same. */
function same(before: Snapshot | null, sha256: string | null): Snapshot {
  if (before !== null && before.sha256 === sha256) return before;
  throw new FilepathError(
    'conflict',
    'Another snapshot is stored under this id and stays. Ask for a new one.',
  );
}

export function findSnapshot(
  bucket: R2Bucket,
  owner: string,
  id: SnapshotId,
): Promise<Snapshot | null> {
  return readRecord(bucket, recordKey(owner, id));
}

async function readRecord(bucket: R2Bucket, key: string): Promise<Snapshot | null> {
  const record = await bucket.get(key);
  return record && Snapshot.parse(await record.json());
}

/** Those of a user, or of one agent; newest first. */
export async function listSnapshots(
  bucket: R2Bucket,
  owner: string,
  thread: ThreadId | null,
): Promise<Snapshot[]> {
  const records = (await recordsOf(bucket, owner)).filter(
    ({ customMetadata }) => thread === null || customMetadata?.['thread'] === thread,
  );
  records.sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime());
  const found = await Promise.all(records.map(({ key }) => readRecord(bucket, key)));
  return found.filter((snapshot) => snapshot !== null);
}

export async function openSnapshot(
  bucket: R2Bucket,
  owner: string,
  id: SnapshotId,
): Promise<R2ObjectBody | null> {
  const record = await bucket.head(recordKey(owner, id));
  // One that was stored before archives had names of their own.
  return record && bucket.get(record.customMetadata?.['archive'] ?? `${prefixOf(owner)}${id}.tar`);
}

export async function deleteSnapshots(
  bucket: R2Bucket,
  owner: string,
  ids: readonly SnapshotId[],
): Promise<void> {
  if (ids.length === 0) return;
  const starts = new Set(ids.map((id) => `${prefixOf(owner)}${id}`));
  const keys = (await objectsOf(bucket, owner))
    .map(({ key }) => key)
    .filter((key) => starts.has(key.replace(/(?:\.[0-9a-f-]{36})?\.(?:tar|json)$/, '')));
  // What names an archive goes first.
  for (const kind of ['.json', '.tar']) {
    const some = keys.filter((key) => key.endsWith(kind));
    if (some.length > 0) await bucket.delete(some);
  }
}

async function recordsOf(bucket: R2Bucket, owner: string): Promise<R2Object[]> {
  return (await objectsOf(bucket, owner)).filter(({ key }) => key.endsWith('.json'));
}

async function objectsOf(bucket: R2Bucket, owner: string): Promise<R2Object[]> {
  const { objects } = await bucket.list({
    prefix: prefixOf(owner),
    include: ['customMetadata'],
    limit: 1000,
  });
  return objects;
}

function lengthOf(request: Request): number {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!Number.isSafeInteger(length) || length < SNAPSHOT_HEAD) {
    throw new FilepathError('bad_request', 'Send the archive with its `Content-Length`.');
  }
  if (length > LIMITS.snapshot) {
    throw new FilepathError(
      'too_large',
      `The snapshot is larger than ${LIMITS.snapshot} bytes: remove what is not needed from the workspace.`,
    );
  }
  return length;
}

/** Bytes that are taken up at once: many small pieces cost far more than a few large ones. */
const PIECE = 256 * 1024;

type Reader = ReadableStreamBYOBReader;

/** The next piece, in the memory that is given; null at the end. */
async function next(reader: Reader, memory: ArrayBufferLike): Promise<Uint8Array | null> {
  const { value } = await reader.readAtLeast(PIECE, new Uint8Array(memory as ArrayBuffer));
  return value === undefined || value.byteLength === 0 ? null : value;
}

/** The first piece, and the manifest in it. */
async function readHead(reader: Reader): Promise<{ head: Uint8Array; manifest: SnapshotManifest }> {
  const head = await next(reader, new ArrayBuffer(PIECE));
  if (head === null || head.byteLength < SNAPSHOT_HEAD) throw cutShort();
  const manifest = readSnapshotHead(head);
  if (manifest) return { head, manifest };
  await reader.cancel();
  throw new FilepathError(
    'bad_request',
    'This is no snapshot that this version knows. Send an archive that filepath made.',
  );
}

async function copy(
  reader: Reader,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  head: Uint8Array,
  expected: string | null,
): Promise<string> {
  const hash = createHash('sha256');
  for (let piece: Uint8Array | null = head; piece !== null;) {
    hash.update(piece);
    await writer.write(piece);
    // The bytes of one archive follow on each other without a pause: others are let in between.
    await new Promise((resolve) => setTimeout(resolve, 1));
    // It is written, so that its memory is free for the next.
    piece = await next(reader, piece.buffer);
  }
  const sha256 = hash.digest('hex');
  if (expected !== null && sha256 !== expected) {
    throw new FilepathError('bad_request', 'The archive is not what its hash says. Send it again.');
  }
  await writer.close();
  return sha256;
}

const cutShort = (): FilepathError =>
  new FilepathError('bad_request', 'The archive came cut short. Send it again.');
