import { requestUrl } from '../http/request-url.ts';
import type { BodyRoom } from './body/body-room.ts';
import { type BadBody, readRequestBody, type RequestBody } from './body/request-body.ts';
import { type Dialect, type Operation, operationOf } from './operation.ts';
import { MAX_REQUEST, readBody } from './read-body.ts';
import type { Times } from './times.ts';

/** Where a request goes: which dialect it speaks, and the provider's path in it, like `/v1/messages`. */
export type Target = { readonly dialect: Dialect; readonly path: string };

/** A request as the gateway reads it, before it is known who answers. */
export type Incoming = {
  readonly operation: Operation;
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  /** The query, with its question mark. */
  readonly search: string;
  readonly bytes: Uint8Array;
  /** Null: there is none, or none that the gateway understands. */
  readonly body: RequestBody | null;
  readonly model: string;
  /** Aborted when the agent has gone away. */
  readonly left: AbortSignal;
  /** Gives the room of its body back: it is not needed any more. */
  readonly release: () => void;
};

export type Unreadable = {
  readonly operation: Operation;
  readonly problem: 'bad_request' | 'too_large' | 'busy' | 'timeout';
  readonly message: string;
};

export async function readIncoming(
  request: Request,
  { dialect, path }: Target,
  { room, times }: { readonly room: BodyRoom; readonly times: Pick<Times, 'upload'> },
): Promise<Incoming | Unreadable> {
  const { method, headers, signal: left } = request;
  const operation = operationOf(dialect, method, path);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    const message = `The body is encoded as ${encoding.slice(0, 32)}, which hides how much it is. Send it as it is.`;
    return { operation, problem: 'bad_request', message };
  }
  const release = room.take(method === 'GET' ? 0 : sizeOf(headers));
  if (!release) {
    await readBody(request, 0);
    const message = 'Too many large requests are on their way at once. Send this one again.';
    return { operation, problem: 'busy', message };
  }
  // A body that its agent has left may neither end nor fail.
  left.addEventListener('abort', release);
  const refused = (problem: Unreadable['problem'], message: string): Unreadable => {
    release();
    return { operation, problem, message };
  };
  let bytes: Uint8Array | null | 'late';
  try {
    bytes = method === 'GET' ? new Uint8Array() : await within(times.upload, readBody(request));
  } catch {
    return refused('bad_request', 'The request broke off before its end. Send it again.');
  } finally {
    left.removeEventListener('abort', release);
  }
  if (bytes === 'late') {
    const seconds = times.upload / 1000;
    return refused(
      'timeout',
      `The request did not arrive within ${seconds} seconds. Send it again.`,
    );
  }
  if (!bytes)
    return refused('too_large', `The request is larger than ${MAX_REQUEST} bytes. Send less.`);
  const found = readModel(operation, path, bytes);
  if ('problem' in found) return refused('bad_request', found.problem);
  const { search } = requestUrl(request);
  return { operation, path, method, headers, search, bytes, left, release, ...found };
}

/** An agent that sends a little now and then would keep the room of its body from all others. */
function within<T>(ms: number, work: Promise<T>): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), ms);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

/** Without a length it may be as large as any. */
function sizeOf(headers: Headers): number {
  const announced = Number(headers.get('content-length') ?? MAX_REQUEST);
  return Math.min(Number.isNaN(announced) ? MAX_REQUEST : announced, MAX_REQUEST);
}

/** Only what is to be counted has to be understood. */
function readModel(
  { kind, format }: Operation,
  path: string,
  bytes: Uint8Array,
): Pick<Incoming, 'body' | 'model'> | BadBody {
  const body = readRequestBody(format, bytes);
  if (!('problem' in body)) return { body, model: body.model };
  if (kind === 'generate') return body;
  const [, named = ''] = /^\/v1\/models\/(.+)$/.exec(path) ?? [];
  return { body: null, model: named };
}
