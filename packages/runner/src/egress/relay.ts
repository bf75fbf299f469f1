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

export type Manner = {
  /** Ends it when the client has gone away before its end. */
  readonly leave: (upstream: ClientRequest) => void;
  /** What the client is told when there is no answer. */
  readonly broken: (error: Error) => Answer;
  /** The client has all of the answer. */
  readonly passed?: (answer: IncomingMessage) => void;
};

const PLAIN: Manner = {
  leave: (upstream) => upstream.destroy(),
  broken: ({ message }) => answerOf(new Error(`the server gave no answer: ${message}`)),
};

/** Carries a request on and its response back, as fast as the slower side takes it. */
export function relay(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: ClientRequest,
  { leave, broken, passed }: Manner = PLAIN,
): void {
  upstream.on('response', (answer) => {
    try {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    } catch {
      upstream.destroy();
      return sendAnswer(response, new Answer(502, 'the server answered with malformed headers'));
    }
    response.flushHeaders();
    pipeline(answer, response, (error) => {
      upstream.destroy();
      if (!error) passed?.(answer);
    });
  });
  upstream.on('error', (error) => {
    request.unpipe(upstream);
    sendAnswer(response, broken(error));
  });
  response.on('close', () => {
    if (response.writableFinished) upstream.destroy();
    else leave(upstream);
  });
  request.on('error', () => upstream.destroy());
  request.pipe(upstream);
}
