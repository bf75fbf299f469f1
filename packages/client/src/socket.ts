/** The part of a WebSocket that a feed uses; the browser's, Node's and `ws` all have it. */
export type WebSocketLike = {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
};

export type OpenSocket = (url: string, headers: Record<string, string>) => WebSocketLike;

/** Node's WebSocket takes headers as its second argument; the browser's sends the cookie by itself. */
type WithHeaders = new (url: string, options: { headers: Record<string, string> }) => WebSocket;

export const openPlatformSocket: OpenSocket = (url, headers) => {
  if (Object.keys(headers).length === 0) return new WebSocket(url);
  return new (WebSocket as unknown as WithHeaders)(url, { headers });
};
