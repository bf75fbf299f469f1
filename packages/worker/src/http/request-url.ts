let last: { readonly text: string; readonly url: URL } | null = null;

/**
 * The URL of a request, to be read and not changed. Several look at it on the way, and agents ask for the same one over
 * and over, so the last one is kept.
 */
export function requestUrl(request: Pick<Request, 'url'>): Readonly<URL> {
  const text = request.url;
  if (last?.text !== text) last = { text, url: new URL(text) };
  return last.url;
}
