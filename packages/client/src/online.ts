/** Only browsers say `online`; elsewhere the backoff alone brings a connection back. */
export function onOnline(then: () => void): () => void {
  const host = globalThis as unknown as Partial<
    Pick<EventTarget, 'addEventListener' | 'removeEventListener'>
  >;
  host.addEventListener?.('online', then);
  return () => host.removeEventListener?.('online', then);
}
