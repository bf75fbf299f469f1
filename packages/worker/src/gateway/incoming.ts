import { type BadBody, readRequestBody, type RequestBody } from './body/request-body.ts';
import { type Dialect, type Operation, operationOf } from './operation.ts';
import { MAX_REQUEST, readBody } from './read-body.ts';

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
};

export type Unreadable = {
  readonly operation: Operation;
  readonly problem: 'bad_request' | 'too_large';
  readonly message: string;
};

const BODILESS = new Set(['GET', 'DELETE']);

export async function readIncoming(
  request: Request,
  { dialect, path }: Target,
): Promise<Incoming | Unreadable> {
  const { method, headers } = request;
  const operation = operationOf(dialect, method, path);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    const message = `The body is encoded as ${encoding.slice(0, 32)}, which hides how much it is. Send it as it is.`;
    return { operation, problem: 'bad_request', message };
  }
  const bytes = BODILESS.has(method) ? new Uint8Array() : await readBody(request);
  if (!bytes) {
    const message = `The request is larger than ${MAX_REQUEST} bytes. Send less at once.`;
    return { operation, problem: 'too_large', message };
  }
  const found = readModel(operation, path, bytes);
  if ('problem' in found) return { operation, problem: 'bad_request', message: found.problem };
  const { search } = new URL(request.url);
  return { operation, path, method, headers, search, bytes, ...found };
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
