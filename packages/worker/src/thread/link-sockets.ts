import { attachmentOf } from '../sockets.ts';
import type { LinkSocket } from './agent-link.ts';

/** Wraps runners' sockets; the epoch they said hello for is kept over hibernation. */
export class LinkSockets {
  #wrapped = new WeakMap<WebSocket, LinkSocket>();

  of(ws: WebSocket): LinkSocket {
    const known = this.#wrapped.get(ws);
    if (known) return known;
    const attachment = attachmentOf(ws);
    const { runner, epoch } = attachment?.kind === 'link' ? attachment : { runner: '', epoch: 0 };
    const socket: LinkSocket = {
      runner,
      get epoch() {
        const now = attachmentOf(ws);
        return now?.kind === 'link' ? now.epoch : epoch;
      },
      set epoch(value: number) {
        ws.serializeAttachment({ kind: 'link', runner, epoch: value });
      },
      send: (text) => {
        ws.send(text);
      },
      close: (code, reason) => {
        ws.close(code, reason);
      },
    };
    this.#wrapped.set(ws, socket);
    return socket;
  }
}
