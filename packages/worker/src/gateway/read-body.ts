/** Prompts with files and images in them are large; this is what providers take at most. */
export const MAX_REQUEST = 32 * 1024 * 1024;

/** A client that still sends is not there for an answer yet: so much more is taken, and thrown away. */
const MAX_DISCARDED = 64 * 1024 * 1024;

/** The body of a request; null where it is larger than `limit` bytes. */
export async function readBody(request: Request, limit = MAX_REQUEST): Promise<Uint8Array | null> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  // A length that was announced is kept to by the connection itself.
  if (announced <= limit) return new Uint8Array(await request.arrayBuffer());
  if (!request.body) return new Uint8Array();
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size <= limit && !(announced > limit)) chunks.push(chunk);
    else chunks = [];
    if (size > limit + MAX_DISCARDED) break;
  }
  return size > limit ? null : Buffer.concat(chunks);
}
