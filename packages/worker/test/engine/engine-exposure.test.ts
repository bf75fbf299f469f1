import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Engine } from '../../engine/index.ts';
import { pidOf, startFixture } from './engine-fixture.ts';

const ENDPOINTS = [
  '/cdn-cgi/platform-proxy',
  '/cdn-cgi/handler/scheduled',
  '/cdn-cgi/handler/email',
  '/cdn-cgi/mf/scheduled',
  '/cdn-cgi/mf/reload',
  '/cdn-cgi/mf/stream/x',
  '/cdn-cgi/mf/imagedelivery/x',
  '/cdn-cgi/explorer',
  '/cdn-cgi/explorer/api/d1/database',
  '/cdn-cgi/local/r2/public/blobs/key',
  '/cdn-cgi/local/r2/s3/blobs/key',
  '/core/store-temp-file?extension=x',
  '/core/do-storage/filepath-Counter',
];

describe('what the engine exposes', () => {
  const home = mkdtempSync(join(tmpdir(), 'filepath-exposure-'));
  let engine: Engine;
  beforeAll(async () => {
    engine = await startFixture({ home });
    await fetch(`${engine.url}/stored`, { method: 'PUT' });
  });
  afterAll(async () => {
    await engine.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('listens on no port but the public one', () => {
    const ports = [...listeningPorts(process.pid), ...listeningPorts(pidOf(engine))];
    expect(ports).toEqual([Number(new URL(engine.url).port)]);
  });

  it.each(ENDPOINTS)('leads %s to the worker like any other path', async (path) => {
    const answer = await fetch(`${engine.url}${path}`);
    expect(await answer.text()).toContain('the page');
    const posted = await raw(engine, { method: 'POST', path });
    expect(posted.text).not.toContain('secret');
    expect(posted.text).not.toContain('/tmp/');
  });

  it('gives the worker the URL, host and headers as they came', async () => {
    const answer = await raw(engine, {
      path: '/seen',
      headers: {
        Host: 'foreign.example:99',
        'MF-Original-URL': 'http://127.0.0.1/count',
        'MF-Route-Override': 'filepath-setup',
        'MF-Proxy-Shared-Secret': 'x',
        'MF-CF-Blob': '{"forged":true}',
        Origin: 'http://evil.example',
        'Accept-Encoding': 'identity',
      },
    });
    const seen: unknown = JSON.parse(answer.text);
    expect(seen).toMatchObject({
      url: 'http://foreign.example:99/seen',
      headers: {
        host: 'foreign.example:99',
        origin: 'http://evil.example',
        'accept-encoding': 'identity',
      },
    });
    expect(seen).not.toHaveProperty('cf.forged');
  });

  it('opens no RPC session for the host that Miniflare reserves for it', async () => {
    const host = 'miniflare-unsafe-internal-capnp-connect';
    const answer = await raw(engine, { method: 'CONNECT', path: host, headers: { Host: host } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  it('carries WebSockets', async () => {
    const socket = new WebSocket(`${engine.url.replace('http', 'ws')}/socket`);
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
    const echoed = new Promise<unknown>((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(data), { once: true });
    });
    socket.send('over and back');
    expect(await echoed).toBe('over and back');
    socket.close();
  });
});

/** Sends headers that fetch refuses to send. */
function raw(engine: Engine, asked: RequestOptions): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(engine.url);
  return new Promise((resolve, reject) => {
    const answered = (response: IncomingMessage): void => {
      const status = response.statusCode ?? 0;
      text(response).then((body) => resolve({ status, text: body }), reject);
    };
    const sent = request({ ...asked, hostname, port, agent: false }, answered);
    sent.on('error', reject);
    sent.on('connect', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: '' });
    });
    sent.end();
  });
}

function listeningPorts(pid: number): number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => inodeOf(`/proc/${pid}/fd/${fd}`)),
  );
  return ['tcp', 'tcp6']
    .flatMap((family) => readFileSync(`/proc/net/${family}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9]))
    .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16));
}

function inodeOf(descriptor: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(descriptor))?.[1];
  } catch {
    return undefined;
  }
}
