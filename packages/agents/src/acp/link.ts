import { type AnyMessage, client, type ClientConnection } from '@agentclientprotocol/sdk';
import type { Child } from '../driver/child.ts';
import { readJsonLines } from '../driver/json-lines.ts';
import { type PermissionAnswer, PermissionRequest, SessionNotification } from './wire.ts';

export type Ears = {
  /** Anything at all. */
  readonly heard: () => void;
  readonly update: (sessionId: string, update: unknown) => void;
  readonly permission: (request: PermissionRequest) => Promise<PermissionAnswer>;
  /** A line that is no message. */
  readonly noise: (head: string) => void;
};

/**
 * The connection with a program. Updates are taken from the stream itself: the SDK waits for no handler, and an answer
 * must not overtake the updates before it.
 */
export function connectTo(child: Child, ears: Ears): ClientConnection {
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      void readJsonLines(child.stdout, {
        line: (message) => {
          ears.heard();
          if (message['method'] === 'session/update') takeUpdate(message['params'], ears);
          else controller.enqueue(message as AnyMessage);
        },
        other: ears.noise,
      })
        .catch((error: unknown) => ears.noise(String(error)))
        .finally(() => controller.close());
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => child.writeLine(message),
  });
  return client({ name: 'filepath' })
    .onRequest('session/request_permission', PermissionRequest, ({ params }) =>
      ears.permission(params),
    )
    .connect({ readable, writable });
}

function takeUpdate(params: unknown, ears: Ears): void {
  const parsed = SessionNotification.safeParse(params);
  if (parsed.success) ears.update(parsed.data.sessionId, parsed.data.update);
}
