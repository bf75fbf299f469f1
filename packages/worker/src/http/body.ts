import { FilepathError } from '@filepath/protocol';

const MAX_BODY = 1024 * 1024;

/** The JSON of a body of at most `limit` bytes, however it is sent; undefined for an empty one. */
export async function readJson(request: Request, limit = MAX_BODY): Promise<unknown> {
  const text = await readText(request, limit);
  if (text === '') return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new FilepathError('bad_request', 'Send the body as `Content-Type: application/json`.');
  try {
    return JSON.parse(text);
  } catch {
    throw new FilepathError('bad_request', 'The body is not JSON.');
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  const bytes = await readBytes(request, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new FilepathError('bad_request', 'The body is not valid UTF-8.');
  }
}

/** The body, of at most `limit` bytes, however it is sent. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Counted as it comes: a chunked body announces no length. Leaving the loop cancels the stream.
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (limit: number) =>
  new FilepathError('too_large', `The body is larger than ${limit} bytes. Send less at once.`);
