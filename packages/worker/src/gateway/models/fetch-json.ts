/** The JSON that a URL answers with, of at most `limit` bytes, within a time. Redirects are not followed. */
export async function fetchJson(
  fetcher: typeof fetch,
  url: string,
  options: {
    readonly limit: number;
    readonly timeoutMs: number;
    readonly headers?: Record<string, string>;
  },
): Promise<{ status: number; body: unknown }> {
  const response = await fetcher(url, {
    headers: { accept: 'application/json', ...options.headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(options.timeoutMs),
  });
  const text = await boundedText(response, options.limit);
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: null };
  }
}

async function boundedText(response: Response, limit: number): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw new Error(`the answer is larger than ${limit} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
