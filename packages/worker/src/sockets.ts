import type { ViewerMemory, ViewerSocket } from './feed/viewers.ts';

/** What a socket's attachment says after hibernation. */
export type Attachment =
  | { kind: 'viewer'; memory: ViewerMemory }
  | { kind: 'link'; runner: string; epoch: number }
  /** `session`: what the machine said in its hello; null before it. */
  | { kind: 'tunnel'; tunnel: string; challenge: string; session: string | null };

export function attachmentOf(ws: WebSocket): Attachment | null {
  return ws.deserializeAttachment() as Attachment | null;
}

/** Accepts a socket that survives hibernation, and gives the client's end back. */
export function acceptSocket(
  ctx: DurableObjectState,
  attachment: Attachment,
): { server: WebSocket; response: Response } {
  const pair = new WebSocketPair();
  pair[1].serializeAttachment(attachment);
  ctx.acceptWebSocket(pair[1], [attachment.kind]);
  return {
    server: pair[1],
    response: new Response(null, { status: 101, webSocket: pair[0] }),
  };
}

/** Codes that say what happened on one side, and are never sent. */
const RESERVED: ReadonlySet<number> = new Set([1005, 1006, 1015]);

/** Answers the other side's close, which ends the connection for both. */
export function answerClose(ws: WebSocket, code: number): void {
  try {
    ws.close(RESERVED.has(code) ? 1000 : code);
  } catch {
    // It is closed already.
  }
}

/** Wraps sockets so that one socket always has the same wrapper. */
export class ViewerSockets {
  #wrapped = new WeakMap<WebSocket, ViewerSocket>();

  of(ws: WebSocket): ViewerSocket {
    const known = this.#wrapped.get(ws);
    if (known) return known;
    const socket: ViewerSocket = {
      send: (text) => {
        ws.send(text);
      },
      close: (code, reason) => {
        ws.close(code, reason);
      },
      remember: (memory) => {
        ws.serializeAttachment({ kind: 'viewer', memory } satisfies Attachment);
      },
    };
    this.#wrapped.set(ws, socket);
    return socket;
  }
}

export function textOf(message: string | ArrayBuffer): string {
  return typeof message === 'string' ? message : new TextDecoder().decode(message);
}
