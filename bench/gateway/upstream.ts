import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, Worker } from 'node:worker_threads';

/** Runs in a thread of its own: a model server that does as little as it can, as a path asks. */

const delta = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`;

const START =
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\n';
const END =
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';

const WORD = delta('some words of an answer');
const BATCH = WORD.repeat(80);

/** What the server is asked for, in the request's own `metadata`: events and the gap between them, or bytes at once. */
export type Wish = { readonly events: number; readonly gapMs: number; readonly bytes: number };

export type Upstream = { readonly url: string; stop(): Promise<void> };

export function startUpstream(): Promise<Upstream> {
  const worker = new Worker(new URL(import.meta.url));
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (port: number) => {
      resolve({
        url: `http://127.0.0.1:${port}`,
        stop: async () => {
          await worker.terminate();
        },
      });
    });
  });
}

function serve(): void {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { metadata } = JSON.parse(Buffer.concat(parts).toString()) as { metadata: Wish };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(START);
      if (metadata.bytes > 0) pour(metadata.bytes);
      else drip(metadata.events, metadata.gapMs);
    });
    const drip = (events: number, gapMs: number): void => {
      let left = events;
      const timer = setInterval(() => {
        left -= 1;
        if (left > 0) response.write(WORD);
        else {
          clearInterval(timer);
          response.end(END);
        }
      }, gapMs);
      response.on('close', () => clearInterval(timer));
    };
    const pour = (bytes: number): void => {
      let left = bytes;
      const more = (): void => {
        while (left > 0) {
          left -= BATCH.length;
          if (!response.write(BATCH)) {
            response.once('drain', more);
            return;
          }
        }
        response.end(END);
      };
      more();
    };
  });
  // Longer than any pause between two rounds: a connection that is closed while it is taken up again is lost.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => {
    parentPort?.postMessage((server.address() as AddressInfo).port);
  });
}

if (parentPort !== null) serve();
