import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { beforeEach, describe, expect, it } from 'vitest';

import type { Engine } from '../../engine/index.ts';
import { fixtureEngine, pidOf } from './engine-fixture.ts';

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
  let engine: Engine;
  beforeEach(async () => {
    engine = await fixtureEngine();
    await fetch(`${engine.url}/stored`, { method: 'PUT' });
  });

  it('listens on no port but the public one', () => {
    const ports = [...listeningPorts(process.pid), ...listeningPorts(pidOf(engine))];
    expect(ports).toEqual([Number(new URL(engine.url).port)]);
  });

  it.each(ENDPOINTS)('leads %s to the worker like any other path', async (path) => {
    const answer = await fetch(`${engine.url}${path}`);
    expect(await answer.text()).toContain('the page');
    const posted = await raw(engine, `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0`);
    expect(posted).not.toContain('secret');
    expect(posted).not.toContain('/tmp/');
  });

  it('gives the worker the URL, host and headers as they came', async () => {
    const { host } = new URL(engine.url);
    const answer = await raw(
      engine,
      [
        'GET /seen HTTP/1.1',
        'Host: foreign.example:99',
        'MF-Original-URL: http://127.0.0.1/count',
        'MF-Route-Override: filepath-setup',
        'MF-Proxy-Shared-Secret: x',
        'MF-CF-Blob: {"forged":true}',
        'Origin: http://evil.example',
        'Accept-Encoding: identity',
      ].join('\r\n'),
    );
    const seen: unknown = JSON.parse(answer.slice(answer.indexOf('{')));
    expect(seen).toMatchObject({
      url: 'http://foreign.example:99/seen',
      headers: {
        host: 'foreign.example:99',
        origin: 'http://evil.example',
        'accept-encoding': 'identity',
      },
    });
    expect(JSON.stringify(seen)).not.toContain(`"url":"http://${host}`);
    expect(seen).not.toHaveProperty('cf.forged');
  });

  it('opens no RPC session for the host that Miniflare reserves for it', async () => {
    const answer = await raw(
      engine,
      'CONNECT miniflare-unsafe-internal-capnp-connect HTTP/1.1\r\nHost: miniflare-unsafe-internal-capnp-connect',
    );
    expect(answer).not.toMatch(/^HTTP\/1\.1 200/);
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

/** Sends a request byte for byte, since fetch refuses to set some of these headers. */
async function raw(engine: Engine, head: string): Promise<string> {
  const { hostname, port } = new URL(engine.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

function listeningPorts(pid: number): number[] {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => inodeOf(`/proc/${pid}/fd/${fd}`)));
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
