import { createServer, type IncomingMessage, request as sendRequest, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { NO_TOKENS } from '@filepath/protocol';
import { gate, type ModelServer, startModelServer, type Turn } from '@filepath/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AGENT, startGateway, type TestGateway } from './support/gateway.ts';

const PATH = '/gateway/anthropic/v1/messages';
const KNOWN = { input: 40, cacheRead: 8, cacheWrite: 5 };
const LONG: Turn = { text: 'word '.repeat(20), chunk: 5, usage: { ...KNOWN, output: 17 } };
const ask = (more: Record<string, unknown> = {}) => ({
  model: 'm-1',
  max_tokens: 4096,
  stream: true,
  messages: [{ role: 'user', content: 'hello' }],
  ...more,
});

let gateway: TestGateway;
let server: ModelServer;
let calls = 0;

beforeAll(async () => {
  gateway = await startGateway();
  server = await startModelServer({ script: [] });
});

afterAll(async () => {
  await gateway.stop();
  await server.close();
});

beforeEach(async () => {
  calls = (await gateway.ledger()).ended.length;
  await gateway.set({ upstream: { url: server.url }, times: { tick: 10 }, grant: null });
});

const play = (...script: Turn[]): void => server.play({ script });
const end = async () => (await gateway.ended(calls + 1)).ended.at(-1);

/** As the runner ends it for an agent: workerd takes the mere end of a connection for half of it. */
function leave(answer: IncomingMessage): void {
  answer.on('error', () => undefined);
  answer.socket.resetAndDestroy();
}

/** A server that answers in its own way. */
async function serving(
  answer: Parameters<typeof createServer>[1],
): Promise<Server & { url: string }> {
  const other = createServer(answer);
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  return Object.assign(other, { url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` });
}

describe('[GW10] a provider that breaks off', () => {
  it('in mid-stream is told the agent as the last event, and has its output at the bound', async () => {
    play({ ...LONG, fault: { kind: 'cut', after: 3 } });
    const response = await gateway.post(PATH, ask());
    expect(await response.text()).toMatch(/event: error\ndata: \{"type":"error",.*broke off/);
    expect(await end()).toMatchObject({
      outcome: 'cut',
      estimated: true,
      tokens: { ...KNOWN, output: 4096 },
    });
  });

  it('before an answer is a 502, at the worst case', async () => {
    play({ fault: { kind: 'reset' } });
    const response = await gateway.post(PATH, ask());
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { type: 'error', error: { type: 'api_error' } },
    ]);
    expect(await end()).toMatchObject({ outcome: 'failed', status: null, tokens: null });
  });

  it('and takes no connection at all costs nothing', async () => {
    await gateway.set({ upstream: { url: 'http://127.0.0.1:1' } });
    const response = await gateway.post(PATH, ask());
    expect([response.status, await response.text()]).toEqual([
      502,
      expect.stringContaining('cannot be reached'),
    ]);
    expect(await end()).toMatchObject({ outcome: 'failed', tokens: { input: 0, output: 0 } });
  });

  it.each(['torn', 'stop', 'error-event', 'bad-json'] as const)(
    'with %s is passed on as it is, and settled once',
    async (kind) => {
      play({ ...LONG, fault: { kind, after: 3 } });
      const text = await (await gateway.post(PATH, ask())).text();
      expect(text).toContain('word');
      const { tokens, outcome } = (await end()) ?? {};
      if (kind === 'bad-json') {
        expect(text).toContain('oh no');
        expect([outcome, tokens]).toEqual(['completed', { ...KNOWN, output: 17, reasoning: 0 }]);
      } else {
        expect(outcome).toBe(kind === 'error-event' ? 'failed' : 'cut');
        expect(tokens).toMatchObject({ ...KNOWN, output: 4096 });
      }
    },
  );

  it('repeats its key in the middle of an answer has it nowhere in the books', async () => {
    const key = 'sk-secret-0123456789';
    await using telling = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const error = { type: 'api_error', message: `the key ${key} has no credit` };
      response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
    });
    await gateway.set({ upstream: { url: telling.url, headers: { 'x-api-key': key } } });
    await (await gateway.post(PATH, ask())).text();
    expect(await end()).toMatchObject({
      outcome: 'failed',
      error: 'the key [redacted] has no credit',
    });
  });

  it('sends us elsewhere is not followed there with its key', async () => {
    const elsewhere: string[] = [];
    await using trap = await serving((request, response) => {
      elsewhere.push(JSON.stringify(request.headers));
      response.end();
    });
    await using moved = await serving((_, response) => {
      response.writeHead(307, { location: trap.url }).end();
    });
    await gateway.set({ upstream: { url: moved.url, headers: { 'x-api-key': 'sk-secret-0123' } } });
    const response = await gateway.post(PATH, ask());
    expect([response.status, response.headers.get('location')]).toEqual([502, null]);
    expect(elsewhere).toEqual([]);
    expect(await end()).toMatchObject({ outcome: 'failed', status: 307 });
  });
});

describe('[GW11] time', () => {
  it('runs out for an agent that does not send what it began', async () => {
    await gateway.set({ times: { upload: 60 } });
    const headers = { ...AGENT, 'content-length': 2e6 };
    const request = sendRequest(`${gateway.url}${PATH}`, { method: 'POST', headers });
    request.on('error', () => undefined);
    const answered = once(request, 'response');
    request.write('{"padding":"');
    const [answer] = (await answered) as [IncomingMessage];
    expect(answer.statusCode).toBe(504);
    leave(answer);
  });

  it('runs out for a provider that does not begin', async () => {
    await gateway.set({ times: { tick: 10, firstByte: 60, renew: 20 } });
    play({ fault: { kind: 'hang' } });
    const response = await gateway.post(PATH, ask());
    expect(response.status).toBe(504);
    const { ended, renewed } = await gateway.ended(calls + 1);
    expect(ended.at(-1)).toMatchObject({ outcome: 'failed', tokens: null });
    expect(renewed).toBeGreaterThan(0);
    expect(await server.calls.at(-1)?.ended).toBe('left');
  });

  it('runs out for a provider that falls silent', async () => {
    await gateway.set({ times: { tick: 10, idle: 60 } });
    const silence = gate(2);
    play({ ...LONG, gate: silence });
    const response = await gateway.post(PATH, ask());
    expect(await response.text()).toMatch(/event: error\ndata: .*for too long/);
    expect(await end()).toMatchObject({ outcome: 'cut', tokens: { ...KNOWN, output: 4096 } });
    silence.release();
  });

  it('runs out for an agent that does not read', async () => {
    await gateway.set({ times: { tick: 10, stall: 60 } });
    play({ text: 'x'.repeat(20e6), chunk: 1e5, usage: { output: 9 } });
    const answer = await gateway.open(PATH, ask());
    answer.on('error', () => undefined);
    expect(await end()).toMatchObject({
      outcome: 'cancelled',
      error: expect.stringContaining('read'),
    });
    leave(answer);
  });
});

describe('[GW12] an agent that leaves', () => {
  it('is counted for what it asked, where the answer ends within the grace', async () => {
    const middle = gate(2);
    play({ ...LONG, gate: middle });
    const answer = await gateway.open(PATH, ask());
    await middle.reached;
    leave(answer);
    middle.release();
    expect(await end()).toMatchObject({
      outcome: 'cancelled',
      tokens: { ...KNOWN, output: 17 },
    });
  });

  it('is counted at the bound where it does not, and the provider is let go', async () => {
    await gateway.set({ times: { tick: 10, grace: 100 } });
    play({ ...LONG, dripMs: 40, text: 'word '.repeat(2000) });
    const answer = await gateway.open(PATH, ask());
    await once(answer, 'data');
    leave(answer);
    expect(await end()).toMatchObject({
      outcome: 'cancelled',
      estimated: true,
      tokens: { ...KNOWN, output: 4096 },
    });
    expect(await server.calls.at(-1)?.ended).toBe('left');
  });

  it('lets the provider go where that is silent in the middle of its answer', async () => {
    await gateway.set({ times: { tick: 10, grace: 100 } });
    const middle = gate(2);
    play({ ...LONG, gate: middle });
    const answer = await gateway.open(PATH, ask());
    await middle.reached;
    leave(answer);
    expect(await end()).toMatchObject({
      outcome: 'cancelled',
      status: 200,
      estimated: true,
      tokens: { ...KNOWN, output: 4096 },
    });
    expect(await server.calls.at(-1)?.ended).toBe('left');
  });

  it('lets the provider go where that has not begun its answer, at the worst case', async () => {
    await gateway.set({ times: { tick: 10, grace: 100 } });
    play({ fault: { kind: 'hang' } });
    const request = gateway.ask(PATH, ask());
    const call = await server.call(server.calls.length + 1);
    request.socket?.resetAndDestroy();
    expect(await end()).toMatchObject({ outcome: 'cancelled', status: null, tokens: null });
    expect(await call.ended).toBe('left');
  });

  it('before its call is sent has made none', async () => {
    const { left } = await gateway.ledger();
    const asked = server.calls.length;
    play(LONG);
    await gateway.set({ holds: true });
    const request = gateway.ask(PATH, ask());
    const reserving = async () => (await gateway.ledger()).asks.length;
    await expect.poll(reserving).toBe((await gateway.ledger()).ended.length + 1);
    request.socket?.resetAndDestroy();
    await expect.poll(async () => (await gateway.ledger()).left).toBe(left + 1);
    await gateway.set({ holds: false });
    expect(await end()).toMatchObject({ outcome: 'cancelled', status: null, tokens: NO_TOKENS });
    expect(server.calls).toHaveLength(asked);
  });
});

describe('[GW13] size', () => {
  it('of 10 MB is taken, and more than the most is refused in the provider’s words', async () => {
    play({ text: 'read it' });
    const content = 'lorem "ipsum" \\ é '.repeat(520_000);
    const large = ask({ messages: [{ role: 'user', content }] });
    const response = await gateway.post(PATH, large);
    expect(await response.text()).toContain('read it');
    expect(server.requests.at(-1)?.body).toBe(JSON.stringify(large));
    const tooLarge = await gateway.post(PATH, ask({ padding: 'x'.repeat(33 * 1024 * 1024) }));
    expect([tooLarge.status, await tooLarge.json()]).toMatchObject([
      413,
      { error: { type: 'request_too_large' } },
    ]);
  });

  it('of all large prompts on their way has a bound, and small ones pass beside them', async () => {
    const [first, second] = [gate(0), gate(0)];
    const large = ask({ stream: false, padding: 'x'.repeat(20e6) });
    play({ ...LONG, gate: first }, { ...LONG, gate: second }, LONG, LONG);
    const held = [gateway.post(PATH, large), gateway.post(PATH, large)];
    await Promise.all([first.reached, second.reached]);
    const third = await gateway.post(PATH, large);
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await (await gateway.post(PATH, ask())).text()).toContain('word');
    for (const one of [first, second]) one.release();
    for (const answer of await Promise.all(held)) expect(await answer.text()).toContain('word');
    expect(await (await gateway.post(PATH, large)).text()).toContain('word');
  });

  it('of large prompts whose agents leave before they have sent them is given back', async () => {
    const headers = { ...AGENT, 'content-length': 24e6 };
    const begun = async (): Promise<Socket> => {
      const request = sendRequest(`${gateway.url}${PATH}`, { method: 'POST', headers });
      request.on('error', () => undefined);
      request.write('{"padding":"');
      const [socket] = (await once(request, 'socket')) as [Socket];
      await once(socket, 'connect');
      return socket;
    };
    server.play({ script: () => LONG });
    const large = ask({ stream: false, padding: 'x'.repeat(20e6) });
    const status = async (): Promise<number> => {
      const answer = await gateway.post(PATH, large);
      await answer.text();
      return answer.status;
    };
    const uploads = [await begun(), await begun()];
    await expect.poll(status).toBe(429);
    for (const upload of uploads) upload.resetAndDestroy();
    await expect.poll(status).toBe(200);
  });

  it('of an answer that is read slowly is held back at the provider', async () => {
    let written = 0;
    const chunk = `data: ${'x'.repeat(65_000)}\n\n`;
    await using flood = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (!response.destroyed && written < 200e6) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    await gateway.set({ upstream: { url: flood.url }, times: { tick: 10, grace: 50 } });
    const answer = await gateway.open(PATH, ask());
    answer.on('error', () => undefined);
    answer.pause();
    await settles(() => written);
    expect(written).toBeLessThan(20e6);
    leave(answer);
    await end();
  });
});

describe('[GW8] a storm of rate limits', () => {
  it('is passed on and recorded, each one, and nothing is tried again', async () => {
    const limited: Turn = { fault: { kind: 'status', status: 429, retryAfterSeconds: 3 } };
    server.play({ script: () => limited });
    const before = server.requests.length;
    const began = Date.now();
    const answers = await Promise.all(Array.from({ length: 100 }, () => gateway.post(PATH, ask())));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 429));
    expect(answers.every(({ headers }) => headers.get('retry-after') === '3')).toBe(true);
    const ends = answers.map(({ headers }) => Date.parse(headers.get('x-filepath-retry-at') ?? ''));
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(began + 3_000);
    expect(Math.max(...ends)).toBeLessThanOrEqual(Date.now() + 3_000);
    const { ended, open } = await gateway.ended(calls + 100);
    expect([ended.length, open, server.requests.length - before]).toEqual([calls + 100, [], 100]);
  });
});

/** Waits until a number has not changed for a while: there is no event for something that stands still. */
async function settles(read: () => number): Promise<void> {
  for (let last = -1; last !== read();) {
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
