import type { ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { Answer, answerOf, sendAnswer } from './answers.ts';
import { endToEnd, type Headers } from './headers.ts';

/** Bounds of what another server may answer with. */
export const UPSTREAM: RequestOptions = { maxHeaderSize: 65_536, setHost: false };

/** Headers of the request as they go on, with the length of its body said in one way only. */
export function onward(request: IncomingMessage, host: string): Headers {
  const chunked = request.headers['transfer-encoding'] !== undefined;
  return {
    ...endToEnd(request.rawHeaders),
    host,
    connection: 'close',
    ...(chunked ? { 'transfer-encoding': 'chunked' } : {}),
  };
}

/**
 * Carries a request on and its response back, as fast as the slower side takes it. `leave` ends it when the client has
 * gone away before its end.
 */
export function relay(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: ClientRequest,
  leave: (upstream: ClientRequest) => void = (left) => left.destroy(),
): void {
  upstream.on('response', (answer) => {
    try {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    } catch {
      upstream.destroy();
      return sendAnswer(response, new Answer(502, 'the server answered with malformed headers'));
    }
    response.flushHeaders();
    pipeline(answer, response, () => upstream.destroy());
  });
  upstream.on('error', (error) => {
    request.unpipe(upstream);
    sendAnswer(response, answerOf(new Error(`the server gave no answer: ${error.message}`)));
  });
  response.on('close', () => {
    if (response.writableFinished) upstream.destroy();
    else leave(upstream);
  });
  request.on('error', () => upstream.destroy());
  request.pipe(upstream);
}
