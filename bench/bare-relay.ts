import { Miniflare } from 'miniflare';
import WebSocket from 'ws';
import { percentile, wallMs } from './statistics.ts';

/** The least that a relay can do: one object, each event stored, each frame passed on and acknowledged. */
const WORKER = `
import { DurableObject } from 'cloudflare:workers';
export class Relay extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, body TEXT)');
  }
  fetch(request) {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server, [new URL(request.url).pathname.slice(1)]);
    return new Response(null, { status: 101, webSocket: client });
  }
  webSocketMessage(ws, text) {
    if (this.ctx.getTags(ws)[0] === 'viewer') return;
    for (const body of JSON.parse(text)) {
      this.ctx.storage.sql.exec('INSERT INTO log (body) VALUES (?)', JSON.stringify(body));
    }
    for (const viewer of this.ctx.getWebSockets('viewer')) viewer.send(text);
    ws.send('ack');
  }
}
export default {
  fetch(request, env) {
    return env.RELAY.get(env.RELAY.idFromName('one')).fetch(request);
  },
};`;

const BATCH = 50;
const IN_FLIGHT = 4;

export type RelayFigures = { p50: number; p95: number; perSecond: number };

async function open(url: URL, path: string): Promise<WebSocket> {
  const socket = new WebSocket(new URL(path, url.href.replace('http', 'ws')));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** A bare workerd relay under the same load: single events `gapMs` apart, then batches as fast as it takes them. */
export async function bareRelay(
  home: string,
  singles: number,
  gapMs: number,
  total: number,
): Promise<RelayFigures> {
  const miniflare = new Miniflare({
    modules: true,
    script: WORKER,
    compatibilityDate: '2026-01-01',
    durableObjects: { RELAY: { className: 'Relay', useSQLite: true } },
    durableObjectsPersist: home,
  });
  const url = await miniflare.ready;
  const producer = await open(url, '/producer');
  const viewer = await open(url, '/viewer');
  const delays: number[] = [];
  viewer.on('message', (data: Buffer) => {
    const [event] = JSON.parse(data.toString()) as { at: number }[];
    delays.push(wallMs() - (event?.at ?? 0));
  });
  for (let i = 0; i < singles; i += 1) {
    const answered = new Promise((resolve) => viewer.once('message', resolve));
    producer.send(JSON.stringify([{ type: 'text', content: String(i), at: wallMs() }]));
    await answered;
    await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  viewer.removeAllListeners('message');
  const perSecond = await throughput(producer, viewer, total);
  producer.close();
  viewer.close();
  await miniflare.dispose();
  return { p50: percentile(delays, 50), p95: percentile(delays, 95), perSecond };
}

function throughput(producer: WebSocket, viewer: WebSocket, total: number): Promise<number> {
  return new Promise((resolve) => {
    const started = wallMs();
    let sent = 0;
    let seen = 0;
    const send = (): void => {
      if (sent >= total) return;
      const batch = Array.from({ length: BATCH }, (_, i) => ({
        type: 'text',
        content: String(sent + i),
      }));
      sent += BATCH;
      producer.send(JSON.stringify(batch));
    };
    producer.on('message', send);
    viewer.on('message', (data: Buffer) => {
      seen += (JSON.parse(data.toString()) as unknown[]).length;
      if (seen >= total) resolve((total * 1000) / (wallMs() - started));
    });
    for (let i = 0; i < IN_FLIGHT; i += 1) send();
  });
}
