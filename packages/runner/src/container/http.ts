import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const ANSWER_BYTES = 8 * 2 ** 20;
const LINE_BYTES = 64 * 1024;

/** The engine answered that it did not do what it was asked. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Call = {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  json?: unknown;
  /** How long the engine may be silent. 0: for ever. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

export type Upload = Call & { body?: Readable; type?: string };

/** HTTP over the Unix socket of a container engine. Answers are bounded; what is not 2xx is an EngineError. */
export class EngineHttp {
  readonly socket: string;

  constructor(socket: string) {
    this.socket = socket;
  }

  async text(call: Call): Promise<string> {
    const { response } = await this.#send(call);
    return collect(response);
  }

  async json(call: Call): Promise<unknown> {
    const text = await this.text(call);
    return text.trim() === '' ? null : JSON.parse(text);
  }

  /** The lines of an answer as they come. One that is too long is left out. */
  async lines(call: Upload, take: (line: string) => void): Promise<void> {
    const { response } = await this.#send(call);
    let rest = '';
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = `${rest}${String(chunk)}`.split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_BYTES) rest = '';
      for (const line of lines) if (line.trim() !== '') take(line);
    }
    if (rest.trim() !== '') take(rest);
  }

  /** A connection that is no longer HTTP. */
  async hijack(call: Call): Promise<Duplex> {
    const headers = { Connection: 'Upgrade', Upgrade: 'tcp' };
    const asked = request({ ...this.#options(call), headers });
    return new Promise((resolve, reject) => {
      asked.on('upgrade', (_response, socket, head) => {
        socket.setTimeout(0);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.on('response', (response) => {
        collect(response).then(
          (text) => reject(failure(response, text)),
          (error: unknown) => reject(error),
        );
      });
      bound(asked, call, reject);
      asked.end();
    });
  }

  async #send(call: Upload): Promise<{ response: IncomingMessage }> {
    const headers: Record<string, string> =
      call.json === undefined
        ? call.type === undefined
          ? {}
          : { 'content-type': call.type }
        : { 'content-type': 'application/json' };
    const asked = request({ ...this.#options(call), headers });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve);
      bound(asked, call, reject);
      if (call.body !== undefined) pipeline(call.body, asked).catch(reject);
      else asked.end(call.json === undefined ? undefined : JSON.stringify(call.json));
    });
    if ((response.statusCode ?? 500) < 300) return { response };
    throw failure(response, await collect(response));
  }

  #options({ method, path, timeoutMs = 30_000, signal }: Call): RequestOptions {
    const { socket } = this;
    return {
      socketPath: socket,
      agent: false,
      method,
      path,
      timeout: timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

function bound(asked: ClientRequest, call: Call, reject: (error: Error) => void): void {
  asked.on('error', reject);
  asked.on('timeout', () => {
    asked.destroy(new Error(`the container engine does not answer ${call.method} ${call.path}`));
  });
}

async function collect(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > ANSWER_BYTES) throw new Error('the answer of the container engine is too long');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure(response: IncomingMessage, text: string): EngineError {
  let message = text.trim();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'message' in value) {
      message = String(value.message);
    }
  } catch {
    // Not every answer is JSON.
  }
  return new EngineError(response.statusCode ?? 500, message.slice(0, 2000));
}
