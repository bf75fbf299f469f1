import { Agent, request } from 'node:http';
import type { Target } from './targets.ts';
import type { Wish } from './upstream.ts';

export type Level = {
  /** At once. */
  readonly streams: number;
  /** One after another, in each of them. */
  readonly each: number;
  /** Within which they begin. */
  readonly spreadMs: number;
  /** Between two: an agent uses its tools. */
  readonly pauseMs: number;
};

export type Taken = { readonly firstMs: number; readonly bytes: number };

const PROMPT = 'What is to be done next, and why? '.repeat(60);

/** One call: the time to the first byte of the answer's body, and its bytes. */
function call(target: Target, agent: Agent, wish: Wish): Promise<Taken> {
  const body = JSON.stringify({
    model: 'claude-sonnet-4-5',
    max_tokens: 4096,
    stream: true,
    metadata: wish,
    messages: [{ role: 'user', content: PROMPT }],
  });
  return new Promise((resolve, reject) => {
    const headers = {
      ...target.headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    const started = performance.now();
    const sent = request(target.url, { method: 'POST', agent, headers }, (response) => {
      let firstMs = Number.NaN;
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        if (bytes === 0) firstMs = performance.now() - started;
        bytes += part.length;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ firstMs, bytes });
        else reject(new Error(`${target.url} answered with ${response.statusCode ?? 0}`));
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What the streams of a level have taken. */
export async function streams(target: Target, level: Level, wish: Wish): Promise<Taken[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: level.streams });
  try {
    const taken = await Promise.all(
      Array.from({ length: level.streams }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, (i * level.spreadMs) / level.streams));
        const out: Taken[] = [];
        for (let n = 0; n < level.each; n += 1) {
          out.push(await call(target, agent, wish));
          await new Promise((resolve) => setTimeout(resolve, level.pauseMs));
        }
        return out;
      }),
    );
    return taken.flat();
  } finally {
    agent.destroy();
  }
}
