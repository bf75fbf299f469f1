/** Prompts with files and images in them are large; this is what providers take at most. */
export const MAX_REQUEST = 32 * 1024 * 1024;

/** The body of a request; null where it is larger than `limit` bytes. */
export async function readBody(request: Request, limit = MAX_REQUEST): Promise<Uint8Array | null> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > limit) return null;
  if (!request.body) return new Uint8Array();
  // A length that was announced is kept to by the connection itself.
  if (announced >= 0) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
