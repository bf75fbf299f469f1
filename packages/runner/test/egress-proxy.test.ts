import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcp } from 'node:net';
import { createServer as createHttp, type IncomingMessage } from 'node:http';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@filepath/testkit';
import { describe, expect, it, vi } from 'vitest';
import { AgentGateway } from '../src/egress/gateway.ts';
import { ownAddresses } from '../src/egress/addresses.ts';
import { EgressPolicy } from '../src/egress/policy.ts';
import { Reach } from '../src/egress/reach.ts';
import { tunnel } from '../src/egress/tunnel.ts';
import { ask, dial, gatewayOf, get, heard, webServer } from './egress.ts';
import { later, tempDir } from './setup.ts';

const seen = (request: IncomingMessage): string =>
  `${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}`;

async function tcpServer(onConnection: Parameters<typeof createTcp>[1]): Promise<number> {
  const server = createTcp({ allowHalfOpen: true }, onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe('the proxy of an agent', () => {
  it('[NET8] forwards a request without the headers of its own hop', async () => {
    const port = await webServer((request, response) => {
      response.setHeader('x-answer', ['one', 'two']);
      response.setHeader('proxy-authenticate', 'Basic');
      response.end(seen(request));
    });
    const host = `site.test:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, permitted: [host] });
    const headers = ['Proxy-Authorization: Basic c2VjcmV0', 'X-Kept: yes', 'TE: trailers'];
    const text = await ask(gateway, get(`http://SITE.test:${port}/a?b`, ...headers));
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toMatch(/x-answer: one\r\nx-answer: two/i);
    expect(text).not.toMatch(/proxy-authenticate/i);
    expect(text).toContain('GET /a?b ');
    expect(text).toContain(`"host","${host}"`);
    expect(text).toContain('"x-kept","yes"');
    expect(text).not.toMatch(/proxy-auth|"te"|elsewhere/i);
    expect(gateway.denied).toEqual([]);
  });

  it('[NET8] carries a body once, with one length, however it was sent', async () => {
    const port = await webServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => response.end(`${seen(request)} <${body}>`));
    });
    const host = `site.test:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, permitted: [host] });
    const post = (method: string, headers: string, body: string): Promise<string> =>
      ask(
        gateway,
        `${method} http://${host}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n\r\n${body}`,
      );
    expect(await post('POST', 'Content-Length: 5', 'hello')).toContain('<hello>');
    const chunked = '5\r\nhello\r\n0\r\n\r\n';
    for (const method of ['POST', 'GET', 'DELETE']) {
      const text = await post(method, 'Transfer-Encoding: chunked', chunked);
      expect(text).toContain('<hello>');
      expect(text.match(/transfer-encoding","chunked/g)).toHaveLength(1);
    }
  });

  it.each([
    ['two lengths', 'Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\nGET /x'],
    ['different lengths', 'Content-Length: 5\r\nContent-Length: 6', 'hello!'],
    ['an encoding that is none', 'Transfer-Encoding: chunked, x', 'hello'],
    ['a space before the colon', 'Content-Length : 5', 'hello'],
    ['a folded header', 'X: a\r\n b', ''],
  ])('[NET8] takes no request with %s', async (_name, headers, body) => {
    const reached: string[] = [];
    const port = await webServer((request, response) => {
      reached.push(request.url ?? '');
      response.end();
    });
    const host = `site.test:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, permitted: [host] });
    const text = await ask(
      gateway,
      `POST http://${host}/ HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(reached).toEqual([]);
  });

  it('[NET8] takes headers up to 16 KiB', async () => {
    const gateway = await gatewayOf({});
    const text = await ask(gateway, get('http://a.com/', `X: ${'x'.repeat(17_000)}`));
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('[NET8] tunnels bytes both ways, each side ending by itself', async () => {
    const port = await tcpServer((socket) => {
      let got = '';
      socket.on('data', (chunk) => (got += String(chunk)));
      socket.on('end', () => socket.end(`got ${got}`));
    });
    const host = `site.test:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, permitted: [host] });
    const socket = await dial(gateway);
    socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\nearly `);
    const text = heard(socket);
    socket.once('data', () => socket.end('late'));
    expect(await text).toBe('HTTP/1.1 200 Connection established\r\n\r\ngot early late');
  });

  it('[NET10] resets its connection with the worker when the agent leaves before the end', async () => {
    const ended = Promise.withResolvers<string>();
    const port = await webServer((request, response) => {
      request.socket.on('error', (error: NodeJS.ErrnoException) => ended.resolve(error.code ?? ''));
      request.socket.on('end', () => ended.resolve('end'));
      response.write('something');
    });
    const gateway = await gatewayOf({ worker: `http://127.0.0.1:${port}` });
    const socket = await dial(gateway);
    socket.write('GET /gateway/v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect(await ended.promise).toBe('ECONNRESET');
  });

  it('[TALK3] says that the agent has an answer when it has all of it, and not when it has left before', async () => {
    const said: (string | undefined)[][] = [];
    const left = Promise.withResolvers<void>();
    const port = await webServer((request, response) => {
      const { url = '', headers } = request;
      if (url.includes('/handed/')) {
        const { authorization, 'x-filepath-thread': thread } = headers;
        said.push([url, request.method, authorization, typeof thread]);
        return void response.writeHead(204).end();
      }
      response.setHeader('x-filepath-handed', url.endsWith('whole') ? 'a1' : 'b2');
      if (url.endsWith('whole')) return void response.end('all');
      response.write('some');
      request.socket.on('close', () => left.resolve());
      request.socket.on('error', () => undefined);
    });
    const gateway = await gatewayOf({ worker: `http://127.0.0.1:${port}` });
    const head = 'HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key\r\nConnection: close\r\n\r\n';
    const leaving = await dial(gateway);
    leaving.write(`GET /gateway/agent/part ${head}`);
    await once(leaving, 'data');
    leaving.destroy();
    await left.promise;
    expect(await ask(gateway, `GET /gateway/agent/whole ${head}`)).toMatch(/all/);
    await expect
      .poll(() => said)
      .toEqual([['/gateway/agent/handed/a1', 'POST', 'Bearer key', 'string']]);
  });

  it('[NET8] carries nothing but TLS to port 443', async () => {
    let reached = 0;
    const server = await tcpServer((socket) => {
      socket.on('data', () => (reached += 1));
      socket.on('error', () => undefined);
    });
    // An ordinary user may not listen on that port: whatever is dialled is our server.
    const dialer = { dial: async () => connect({ port: server, host: '127.0.0.1' }) };
    const denied: string[] = [];
    const policy = new EgressPolicy({ policy: 'open' }, null);
    const reach = new Reach(policy, dialer as never, ({ host }) => denied.push(host));
    const port = await tcpServer(
      (socket) => void tunnel(reach, 'site.test:443', socket, Buffer.alloc(0), 60_000),
    );
    const talk = (bytes: string): Promise<string> => {
      const socket = connect({ port, host: '127.0.0.1' });
      later(() => socket.destroy());
      socket.write(bytes, 'latin1');
      return heard(socket);
    };
    expect(await talk('SSH-2.0-x\r\n')).toMatch(/^HTTP\/1\.1 200 [^\n]*\n\r\n(\(cut\))?$/);
    expect([denied, reached]).toEqual([['site.test'], 0]);
    void talk('\x16\x03\x01');
    await expect.poll(() => reached).toBe(1);
  });

  it.each([
    'http://other.test/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost/',
  ])('[NET4] T14: %s is out of reach, under open too where its address is', async (url) => {
    let asked = 0;
    const resolve = async (): Promise<string[]> => {
      asked += 1;
      return ['127.0.0.1'];
    };
    for (const policy of ['none', 'allowlist', 'open'] as const) {
      const gateway = await gatewayOf({ network: { policy }, resolve });
      const text = await ask(gateway, get(url));
      expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
      expect(text).toMatch(/filepath: \S+ is out of reach for this agent: .+ A person can change/);
      expect(gateway.denied).toHaveLength(1);
    }
    // A name is asked for only where the policy allows it.
    expect(asked).toBeLessThanOrEqual(1);
  });

  it('[NET4] T15: a name is asked for once, and what was checked is what is dialled', async () => {
    const port = await webServer((_request, response) => response.end('inside'));
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    let asked = 0;
    const resolve = async (): Promise<string[]> => answers[Math.min(asked++, 1)] ?? [];
    // To the system this name is the server: whoever dials the name instead of the address gets in.
    const host = `localhost:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, resolve });
    const first = await ask(gateway, get(`http://${host}/`));
    // Public when checked: that address is dialled, and there is no such server in a test.
    expect(first).toMatch(/^HTTP\/1\.1 502 /);
    expect(asked).toBe(1);
    expect(await ask(gateway, get(`http://${host}/`))).toMatch(/^HTTP\/1\.1 403 /);
    expect(asked).toBe(2);
  });

  it('[NET4] T15: one bad address among good ones is enough', async () => {
    const gateway = await gatewayOf({
      network: { policy: 'open' },
      resolve: async () => ['93.184.216.34', '10.0.0.1'],
    });
    expect(await ask(gateway, get('http://mixed.test/'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(gateway.denied).toEqual(['mixed.test:80']);
  });

  it('[NET6] T15: what the operator permits does not reach metadata', async () => {
    const gateway = await gatewayOf({
      network: { policy: 'open' },
      permitted: ['metadata.test:80', '169.254.169.254:80'],
      resolve: async () => ['169.254.169.254'],
    });
    expect(await ask(gateway, get('http://metadata.test/'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask(gateway, get('http://169.254.169.254/'))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('[NET6] reaches a private address by the permitted name and port, and the policy must name it too', async () => {
    const port = await webServer((_request, response) => response.end('registry'));
    const permitted = [`registry.lan:${port}`];
    const named = {
      policy: 'allowlist' as const,
      allow: [`registry.lan:${port}`, `b.lan:${port}`],
    };
    const gateway = await gatewayOf({ network: named, permitted });
    expect(await ask(gateway, get(`http://registry.lan:${port}/`))).toMatch(/200 OK[^]*registry$/);
    expect(await ask(gateway, get(`http://b.lan:${port}/`))).toMatch(/^HTTP\/1\.1 403 /);
    const unnamed = await gatewayOf({ permitted });
    expect(await ask(unnamed, get(`http://registry.lan:${port}/`))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('[NET5] T16: an address of this machine is refused', async () => {
    const addresses = ownAddresses().filter((address) => !address.includes('%'));
    for (const address of addresses) {
      const gateway = await gatewayOf({
        network: { policy: 'open' },
        resolve: async () => [address],
      });
      expect(await ask(gateway, get('http://own.test/')), address).toMatch(/^HTTP\/1\.1 403 /);
    }
    expect(addresses.length).toBeGreaterThan(0);
  });

  it('[NET8] says what is wrong with a name or a server, and counts that as no denial', async () => {
    const fails = async (): Promise<string[]> => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' });
    };
    const network = { policy: 'open' as const };
    const unknown = await gatewayOf({ network, resolve: fails });
    expect(await ask(unknown, get('http://no.test/'))).toMatch(
      /^HTTP\/1\.1 502 [^]*the name no\.test cannot be resolved: ENOTFOUND/,
    );
    const port = await tcpServer((socket) => socket.destroy());
    const host = `site.test:${port}`;
    const gateway = await gatewayOf({
      network: { ...network, allow: [host] },
      permitted: [host],
    });
    expect(await ask(gateway, get(`http://${host}/`))).toMatch(/^HTTP\/1\.1 502 /);
    const gone = await ask(gateway, 'CONNECT a b c HTTP/1.1\r\n\r\n');
    expect(gone).toMatch(/^HTTP\/1\.1 400 /);
    const odd = await ask(gateway, 'CONNECT user@site.test:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(odd).toMatch(/^HTTP\/1\.1 400 [^]*CONNECT takes a host and a port/);
    expect([...unknown.denied, ...gateway.denied]).toEqual([]);
  });

  it('[NET8] holds at most so many connections of an agent, and says so to the next', async () => {
    const held: (() => void)[] = [];
    let holds = true;
    const port = await webServer((_request, response) => {
      const end = (): void => void response.end('done');
      if (holds) held.push(end);
      else end();
    });
    const host = `site.test:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, permitted: [host] });
    const answers = Array.from({ length: 64 }, () => ask(gateway, get(`http://${host}/`)));
    await expect.poll(() => held.length).toBe(64);
    const refused = await ask(gateway, get(`http://${host}/`));
    expect(refused).toMatch(/^HTTP\/1\.1 503 [^]*has 64 connections open/);
    holds = false;
    for (const end of held) end();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/done$/);
    await expect.poll(() => ask(gateway, get(`http://${host}/`))).toMatch(/done$/);
  });

  it('[NET8] ends a connection on which nothing happens', async () => {
    const port = await tcpServer((socket) => socket.on('error', () => undefined));
    const host = `site.test:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, permitted: [host], limits: { idleMs: 1_000 } });
    const tunnel = await ask(gateway, `CONNECT ${host} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(tunnel).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(gateway, '')).toMatch(/^(\(cut\))?$/);
  });

  it('[NET8] reads no faster than the agent does, either way', async () => {
    const size = 256 * 1024 * 1024;
    let sent = 0;
    let closed = false;
    const port = await tcpServer((socket) => {
      const chunk = Buffer.alloc(1 << 20);
      const push = (): void => {
        while (sent < size && !socket.destroyed) {
          sent += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', push);
      socket.on('close', () => (closed = true));
      socket.on('error', () => undefined);
      socket.once('data', push);
    });
    const host = `site.test:${port}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const gateway = await gatewayOf({ network, permitted: [host] });
    const before = process.memoryUsage().rss;
    const socket = await dial(gateway);
    socket.pause();
    socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: x\r\n\r\ngo`);
    let last = -1;
    await vi.waitFor(
      () => {
        const now = sent;
        const still = now === last && now > 0;
        last = now;
        expect(still).toBe(true);
      },
      { timeout: 60_000, interval: 300 },
    );
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
    socket.destroy();
    await expect.poll(() => closed).toBe(true);
  });
});

describe('the gateway of an agent', () => {
  it('[NET10] is the worker, with the credential of the runner and the key of the agent', async () => {
    const port = await webServer((request, response) => {
      response.statusCode = 404;
      request.on('data', (chunk: Buffer) => response.write(`<${String(chunk)}>`));
      request.on('end', () => response.end(seen(request)));
    });
    const gateway = await gatewayOf({
      network: { policy: 'none' },
      worker: `http://127.0.0.1:${port}`,
    });
    const headers = [
      'Authorization: Bearer fpk_key',
      'X-Filepath-Runner-Token: forged',
      'Cookie: a=b',
      'x-filepath-session: ses_forged',
      'x-filepath-thread: th_forged',
      'X-Forwarded-For: 1.2.3.4',
      'Content-Length: 4',
    ];
    const text = await ask(gateway, `${get('/gateway/v1/models?x=1', ...headers)}body`);
    expect(text).toMatch(/^HTTP\/1\.1 404 Not Found/);
    expect(text).toContain('<body>');
    expect(text).toContain('GET /gateway/v1/models?x=1 ');
    expect(text).toContain('"authorization","Bearer fpk_key"');
    expect(text).toContain('"x-filepath-runner-token","runner-token"');
    expect(text).toMatch(/"x-filepath-session","ses_[0-9A-Za-z]{22}"/);
    expect(text).toMatch(/"x-filepath-thread","th_[0-9A-Za-z]{22}"/);
    expect(text).toContain(`"host","127.0.0.1:${port}"`);
    expect(text).not.toMatch(/forged|a=b|1\.2\.3\.4|elsewhere/);
    expect(gateway.denied).toEqual([]);
  });

  it.each([
    ['by a whole URL', get('http://127.0.0.1:4281/gateway/v1/models?x=1')],
    [
      'through a tunnel',
      `CONNECT localhost:4281 HTTP/1.1\r\nHost: localhost:4281\r\n\r\n${get('/gateway/v1/models?x=1')}`,
    ],
  ])(
    '[NET14] is found %s by who asks the proxy for it, under every policy',
    async (_how, bytes) => {
      const port = await webServer((request, response) => response.end(seen(request)));
      const gateway = await gatewayOf({
        network: { policy: 'none' },
        worker: `http://127.0.0.1:${port}`,
      });
      const text = await ask(gateway, bytes);
      expect(text).toContain('GET /gateway/v1/models?x=1 ');
      expect(text).toContain('"x-filepath-runner-token","runner-token"');
      expect(gateway.denied).toEqual([]);
    },
  );

  it('[NET14] has nothing else at its own address, however it is asked', async () => {
    const gateway = await gatewayOf({});
    expect(await ask(gateway, get('http://127.0.0.1:4281/api/session'))).toMatch(
      /^HTTP\/1\.1 404 /,
    );
    const tunnel = 'CONNECT 127.0.0.1:4281 HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await ask(gateway, tunnel + get('/api/session'))).toMatch(/\r\n\r\nHTTP\/1\.1 404 /);
  });

  it('[NET10] streams: the first part of an answer comes before the last is made', async () => {
    const held: (() => void)[] = [];
    const port = await webServer((_request, response) => {
      response.write('first;');
      held.push(() => response.end('last'));
    });
    const gateway = await gatewayOf({ worker: `http://127.0.0.1:${port}` });
    const socket = await dial(gateway);
    socket.write(get('/gateway/x'));
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    await expect.poll(() => text).toContain('first;');
    expect(text).not.toContain('last');
    held[0]?.();
    await expect.poll(() => text).toContain('last');
  });

  it('[NET10] answers everything else of its own with 404, and says when the worker is away', async () => {
    const gateway = await gatewayOf({ limits: { awayMs: 0 } });
    for (const path of ['/', '/api/session', '/gateway/../api/session', '/gateway/%2e%2e/api']) {
      const text = await ask(gateway, get(path));
      expect(text).toMatch(/^HTTP\/1\.1 404 [^]*"code":"not_found"/);
    }
    const text = await ask(gateway, get('/gateway/x'));
    expect(text).toMatch(/^HTTP\/1\.1 503 [^]*x-filepath-away: 1/i);
  });

  it('[NET10] holds a request until a worker that starts is there, and says when one breaks off', async () => {
    const port = await freePort();
    const gateway = await gatewayOf({ worker: `http://127.0.0.1:${port}` });
    const asked = ask(gateway, get('/gateway/x'));
    await new Promise((resolve) => setImmediate(resolve));
    const worker = createHttp((request, response) => {
      if (request.url === '/gateway/break') response.destroy();
      else response.end('there');
    });
    await new Promise<void>((resolve) => worker.listen(port, '127.0.0.1', resolve));
    later(() => worker.close());
    expect(await asked).toMatch(/^HTTP\/1\.1 200 [^]*there/);
    const broken = await ask(gateway, get('/gateway/break'));
    expect(broken).toMatch(/^HTTP\/1\.1 502 [^]*x-filepath-away: 1/i);
  });

  it('[NET7] has a socket that only its own user reaches, however deep the home is', async () => {
    const dir = join(tempDir(), 'deep/'.repeat(40), 'gateway');
    mkdirSync(join(dir, '..'), { recursive: true });
    const accepted: unknown[] = [];
    const proxy = {
      accept: (socket: { end(): void }) => void accepted.push(socket.end()),
      close() {},
    };
    const gateway = new AgentGateway(dir, null, proxy as never);
    await gateway.open();
    later(() => gateway.close());
    expect(statSync(join(dir, 'gw.sock')).isSocket()).toBe(true);
    expect(statSync(join(dir, 'gw.sock')).mode & 0o777).toBe(0o666);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    await gateway.close();
    expect(() => statSync(join(dir, 'gw.sock'))).toThrow(/ENOENT/);
  });

  it('[NET7] does not listen in the namespace of the runner', async () => {
    const gateway = new AgentGateway(tempDir(), null, { accept() {}, close() {} } as never);
    const place = { net: '/proc/self/ns/net', user: null };
    await expect(gateway.listenInNamespace(place)).rejects.toThrow(/the one of the runner/);
  });
});
