import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What a client gets instead of what it asked for: one sentence that an agent can act on. */
export class Answer extends Error {
  override readonly name = 'Answer';
  readonly status: number;
  /** Nobody was there to answer: what was asked can be asked again. */
  readonly away: boolean;

  constructor(status: number, sentence: string, away = false) {
    super(sentence);
    this.status = status;
    this.away = away;
  }
}

export function answerOf(error: unknown): Answer {
  if (error instanceof Answer) return error;
  return new Answer(502, error instanceof Error ? error.message : 'the request failed');
}

/** Too late to answer, the connection is cut: the client must not take a part for the whole. */
export function sendAnswer(response: ServerResponse, { status, message, away }: Answer): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = `filepath: ${message}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...(away ? { 'x-filepath-away': '1' } : {}),
  });
  response.end(body);
}

/** The same on a socket that no response belongs to. */
export function endWithAnswer(socket: Duplex, { status, message }: Answer): void {
  const body = `filepath: ${message}\n`;
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: text/plain; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
