import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NetworkConfig, RunnerBody, StartOrder } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSandbox, type RunnerOptions } from '../src/index.ts';
import { ownAddresses } from '../src/egress/addresses.ts';
import { here, webServer } from './egress.ts';
import { ended, git, repositoryOf } from './repositories.ts';
import { Bench, later, runnerProcess, shellOrder, tempDir } from './setup.ts';
import { CERTIFICATE, KEY } from './tls.ts';

/** A runner that takes every name for this machine, and may reach these hosts there. */
const reaching = (...permitted: string[]): Partial<RunnerOptions> => ({
  env: { ...process.env, FILEPATH_EGRESS_PRIVATE: permitted.join(',') },
  egress: { resolve: here },
});

const order = (
  script: string,
  network?: NetworkConfig,
  more: Partial<StartOrder> = {},
): StartOrder =>
  shellOrder('', {
    config: { command: ['sh', '-c', script], ...(network === undefined ? {} : { network }) },
    ...more,
  });

const allow = (...hosts: string[]): NetworkConfig => ({ policy: 'allowlist', allow: hosts });

const denials = (observed: readonly RunnerBody[]) =>
  observed.flatMap((body) => (body.type === 'denied' ? [body] : []));

async function secureServer(): Promise<number> {
  const server = createHttps({ cert: CERTIFICATE, key: KEY }, (request, response) =>
    response.end(`secure ${request.headers.host}\n`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe('an agent with a way out', () => {
  it('[NET7] [NET8] reaches allowed hosts with curl and Node, plain and over TLS', async () => {
    const port = await webServer((request, response) => response.end(`plain ${request.url}\n`));
    const tls = await secureServer();
    const [plain, secure] = [`site.test:${port}`, `secure.test:${tls}`];
    const bench = await Bench.open(reaching(plain, secure));
    const node = `
      const http = require('http');
      const ask = (options) => new Promise((done) => http.get(options, (answer) => {
        let text = ''; answer.on('data', (c) => text += c); answer.on('end', () => done(text.trim()));
      }));
      ask({ host: '127.0.0.1', port: 4281, path: 'http://${plain}/node' }).then(async (one) => {
        console.log(one);
        console.log(await ask({ socketPath: '/run/filepath/gw.sock', path: 'http://${plain}/socket' }));
      });`;
    const script = `printf %s "$CA" > ca.pem
      curl -sS http://${plain}/curl; curl -sS --cacert ca.pem https://${secure}/
      if [ -x /usr/bin/node ]; then /usr/bin/node -e "$NODE"; else printf 'plain /node\\nplain /socket\\n'; fi
      ( : > /run/filepath/x ) 2> /dev/null && echo writable
      rm -f /run/filepath/gw.sock 2> /dev/null; ls /run/filepath/gw.sock`;
    const envVars = { CA: CERTIFICATE, NODE: node };
    const command = ['sh', '-c', script];
    const network = allow(plain, secure);
    const thread = await ended(bench, shellOrder('', { config: { command, envVars, network } }));
    expect(thread.texts).toEqual([
      'plain /curl',
      `secure ${secure}`,
      'plain /node',
      'plain /socket',
      '/run/filepath/gw.sock',
    ]);
    expect(denials(thread.observed)).toEqual([]);
  });

  it('[NET1] fetches with git from the host of its session, which needs no entry', async () => {
    const repository = repositoryOf({ file: 'content\n' });
    git(repository, 'update-server-info');
    const port = await webServer((request, response) => {
      const path = join(
        repository,
        '.git',
        new URL(request.url ?? '', 'http://x').pathname.slice(6),
      );
      if (existsSync(path)) response.end(readFileSync(path));
      else response.writeHead(404).end();
    });
    const host = `127.0.0.1:${port}`;
    const gitRepoUrl = `http://${host}/r.git/`;
    const bench = await Bench.open(reaching(host));
    // Loopback is not asked for by way of a proxy unless git is told so.
    const script = `git -c http.proxy=$HTTP_PROXY ls-remote ${gitRepoUrl.slice(0, -1)} | cut -f2; cat file`;
    const environment = { NO_PROXY: '', no_proxy: '' };
    const thread = await ended(
      bench,
      shellOrder('', {
        gitRepoUrl,
        config: { command: ['sh', '-c', script], envVars: environment },
      }),
    );
    expect(thread.refused).toBeUndefined();
    expect(thread.texts).toEqual(['HEAD', 'refs/heads/main', 'content']);
  });

  it('[NET9] is told why a host is out of reach, and the thread once for each host', async () => {
    const bench = await Bench.open(reaching());
    const script = `for path in one two; do curl -s http://user:secret@denied.test/$path?token=secret; done
      curl -s http://denied.test:8080/; curl -s https://other.test/ || echo curl $?
      curl -s -o /dev/null -w '%{http_connect}\\n' https://other.test/; printf 'http://%s.canary.test/' "$CANARY" | xargs curl -s`;
    const canary = 'canary-value-0123456789';
    const started = shellOrder('', {
      config: { command: ['sh', '-c', script], envVars: { CANARY: canary } },
    });
    const thread = await ended(bench, started);
    const sentence = (where: string, entry: string): string =>
      `filepath: ${where} is out of reach for this agent: the network policy of this agent does not name it.` +
      ` A person can change that: add "${entry}" to network.allow of this agent, and start it again.`;
    expect(thread.texts.slice(0, 5)).toEqual([
      sentence('denied.test:80', 'denied.test'),
      sentence('denied.test:80', 'denied.test'),
      sentence('denied.test:8080', 'denied.test:8080'),
      'curl 56',
      '403',
    ]);
    const reason = 'the network policy of this agent does not name it';
    const hint = (entry: string): string =>
      `add "${entry}" to network.allow of this agent, and start it again`;
    const common = { type: 'denied', epoch: 1, reason };
    expect(denials(thread.observed)).toEqual([
      { ...common, host: 'denied.test', port: 80, hint: hint('denied.test') },
      { ...common, host: 'other.test', port: 443, hint: hint('other.test') },
      { ...common, host: '[redacted].canary.test', port: 80, hint: hint('[redacted].canary.test') },
    ]);
    expect(thread.observed.at(-1)?.type).toBe('exit');
    expect(JSON.stringify(thread.observed)).not.toMatch(/secret|token|canary-value/);
  });

  it('[NET4] T15: a redirect to metadata ends there', async () => {
    const port = await webServer((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    );
    const host = `site.test:${port}`;
    const bench = await Bench.open(reaching(host));
    const thread = await ended(
      bench,
      order(`curl -sL http://${host}/`, { policy: 'open', allow: [host] }),
    );
    expect(thread.texts.join('\n')).toMatch(/169\.254\.169\.254:80 is out of reach/);
    expect(denials(thread.observed)).toMatchObject([
      { host: '169.254.169.254', port: 80, reason: expect.stringMatching(/metadata/) },
    ]);
  });

  it('[NET1] [NET10] with the policy none reaches its gateway and nothing else, while another agent does', async () => {
    const port = await webServer((_request, response) => response.end('reached\n'));
    const host = `site.test:${port}`;
    const bench = await Bench.open(reaching(host));
    const script = `curl -s -o /dev/null -w '%{http_code}\\n' http://${host}/
      curl -s -o /dev/null -w '%{http_code}\\n' http://registry.npmjs.org/
      curl -s -H "authorization: Bearer $FILEPATH_API_KEY" $FILEPATH_BASE_URL/v1/models; echo
      curl -s --unix-socket /run/filepath/gw.sock http://gateway/gateway/v1/models; echo
      curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:4281/api/session`;
    const none = order(script, { policy: 'none', allow: [host] });
    const other = order(`curl -s http://${host}/`, allow(host));
    const [thread, free] = await Promise.all([ended(bench, none), ended(bench, other)]);
    expect(thread.texts).toEqual(['403', '403', 'no gateway', 'no gateway', '404']);
    expect(free.texts).toEqual(['reached']);
    expect(denials(thread.observed).map(({ host: name }) => name)).toEqual([
      'site.test',
      'registry.npmjs.org',
    ]);
    expect(bench.worker.requests).toHaveLength(2);
    expect(bench.worker.requests[0]).toMatchObject({
      url: '/gateway/v1/models',
      headers: {
        authorization: `Bearer ${none.apiKey}`,
        'x-filepath-runner-token': 'runner-token',
        'x-filepath-session': none.session,
        'x-filepath-thread': none.thread,
      },
    });
  });

  it('[NET12] may bring proxy variables of its own, and no other base URL', async () => {
    const bench = await Bench.open();
    const envVars = { HTTP_PROXY: 'mine', NO_PROXY: '' };
    const command = ['sh', '-c', 'echo "$HTTP_PROXY $HTTPS_PROXY <$NO_PROXY> $FILEPATH_BASE_URL"'];
    const thread = await ended(bench, shellOrder('', { config: { command, envVars } }));
    expect(thread.texts).toEqual(['mine http://127.0.0.1:4281 <> http://127.0.0.1:4281/gateway']);
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** `name: reached` for each way out that there is. */
function probe(ways: Record<string, string>): string {
  const lines = Object.entries(ways).map(
    ([name, call]) => `print "${name}: ", ((${call}) ? "reached" : "no"), "\\n";`,
  );
  return `perl -MSocket=:all -e '$| = 1; alarm 20;
    sub tcp { my ($host, $port) = @_; my $s; socket($s, AF_INET, SOCK_STREAM, 0) && connect($s, sockaddr_in($port, inet_aton($host))) }
    sub udp { my ($host, $port) = @_; my $s; socket($s, AF_INET, SOCK_DGRAM, 0) && defined send($s, "x", 0, sockaddr_in($port, inet_aton($host))) }
    sub six { my ($host, $port) = @_; my $s; socket($s, AF_INET6, SOCK_STREAM, 0) && connect($s, sockaddr_in6($port, inet_pton(AF_INET6, $host))) }
    sub unix { my $s; socket($s, AF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un($_[0])) }
    ${lines.join('\n')}'`;
}

describe('without the proxy', () => {
  it('[NET7] T18: no route exists, after a start, a restart of the runner and a change of policy', async () => {
    const port = await webServer((_request, response) => response.end('reached\n'));
    const abstract = `\0filepath-test-${process.pid}`;
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(abstract, resolve));
    later(() => server.close());
    // The host reaches what the agent must not.
    await new Promise<void>((resolve, reject) => {
      connect(abstract).once('connect', resolve).once('error', reject);
    });
    const own = ownAddresses().find(
      (address) => /^\d/.test(address) && !address.startsWith('127.'),
    );
    const ways = {
      'way out': 'tcp("127.0.0.1", 4281)',
      'loopback of the host': `tcp("127.0.0.1", ${port})`,
      'address of the host': `tcp("${own ?? '10.1.2.3'}", ${port})`,
      internet: 'tcp("93.184.216.34", 80)',
      'udp to the internet': 'udp("9.9.9.9", 53)',
      'IPv6 loopback': `six("::1", ${port})`,
      'IPv6 internet': 'six("2606:4700::1111", 443)',
      raw: 'socket(my $s, AF_INET, SOCK_RAW, 1)',
      names: 'scalar gethostbyname("example.com")',
      metadata: 'tcp("169.254.169.254", 80)',
      abstract: `unix("\\0${abstract.slice(1)}")`,
      'socket of the gateway': 'unix("/run/filepath/gw.sock")',
      interface: '`tail -n +3 /proc/net/dev | grep -vc "^ *lo:"` > 0',
    };
    const expected = Object.keys(ways).map(
      (name) => `${name}: ${name === 'way out' || name.startsWith('socket') ? 'reached' : 'no'}`,
    );
    const bench = await Bench.open({ idle: true });
    const killed = runnerProcess(bench);
    const first = order(
      `${probe(ways)}; echo ready; read line; ${probe(ways)}; echo end`,
      allow(`site.test:${port}`),
    );
    bench.worker.order(first);
    const thread = bench.worker.thread(first.thread);
    await bench.worker.until('first probe', () => thread.texts.includes('ready'));
    expect(thread.texts).toEqual([...expected, 'ready']);
    await killed.kill();
    await bench.start(reaching());
    await bench.logged(first, 'egress');
    bench.worker.input(first.thread, 'go');
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual([...expected, 'ready', ...expected, 'end']);

    const second = {
      ...first,
      epoch: 2,
      config: { ...order(probe(ways), { policy: 'none' }).config },
    };
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    expect((await ended(bench, second)).texts).toEqual(expected);
  });

  it('[NET11] an agent whose runner was killed reaches its hosts again by the next one', async () => {
    const port = await webServer((_request, response) => response.end('reached\n'));
    const host = `localhost:${port}`;
    const bench = await Bench.open({ idle: true });
    const ask = `curl -s --noproxy '' http://${host}/; curl -s --noproxy '' http://denied.test/ > /dev/null
      curl -s --unix-socket /run/filepath/gw.sock http://x/gateway/x; echo`;
    const agent = order(`${ask}; while read line; do ${ask}; done`, allow(host));
    bench.worker.order(agent);
    const thread = bench.worker.thread(agent.thread);
    const killed = runnerProcess(bench, ['env', `FILEPATH_EGRESS_PRIVATE=${host}`]);
    await bench.worker.until('answer', () => thread.texts.length === 2);
    await killed.kill();
    for (let round = 2; round <= 3; round++) {
      // It waits for the runner: the agent is told when it can ask.
      bench.worker.input(agent.thread, 'again');
      await bench.start(reaching(host));
      await bench.worker.until('answer', () => thread.texts.length === 2 * round);
      await bench.stop();
    }
    const answers = ['reached', 'no gateway'];
    expect(thread.texts).toEqual([...answers, ...answers, ...answers]);
    expect(denials(thread.observed)).toMatchObject([{ host: 'denied.test' }]);
    await bench.start();
    bench.worker.order({ kind: 'stop', thread: agent.thread, epoch: 1, graceMs: 0, inputs: [] });
    await bench.worker.until('exit', () => thread.exit !== undefined);
  });

  it('[NET7] leaves no process behind that made a listener, whenever the runner is killed', async () => {
    const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const waits = fc.sample(fc.integer({ min: 0, max: 60 }), { numRuns: 5, seed });
    const bench = await Bench.open({ idle: true });
    const made = (pid: number): string[] =>
      readdirSync('/proc').filter((name) =>
        commandOf(name).endsWith(`\0filepath-listener\0${pid}\0`),
      );
    const killed: number[] = [];
    for (const wait of waits) {
      const runner = runnerProcess(bench);
      const { pid } = runner;
      // One that came and went between two looks is past by the hello.
      const atWork = (): boolean => bench.worker.connected || made(pid).length > 0;
      await expect.poll(atWork, { interval: 1 }).toBe(true);
      await delay(wait);
      await runner.kill();
      await bench.worker.until('its end', () => !bench.worker.connected);
      killed.push(pid);
    }
    await expect.poll(() => killed.flatMap(made), { message: `seed ${seed}` }).toEqual([]);
  });

  it('[NET7] is refused where nothing can listen for it, and nothing of it runs', async () => {
    const dir = tempDir();
    chmodSync(dir, 0o755);
    const broken = join(dir, 'broken');
    const fake = `#!/bin/sh
case " $* " in *" --dev-bind "*) [ ! -e ${broken} ] || { echo no more namespaces >&2; exit 1; };; esac
exec /usr/bin/bwrap "$@"
`;
    writeFileSync(join(dir, 'bwrap'), fake, { mode: 0o755 });
    const bench = await Bench.open({
      env: { ...process.env, PATH: `${dir}:${process.env['PATH']}` },
    });
    writeFileSync(broken, '');
    // Some were made before: they are used up, and none comes after them.
    const threads = [];
    for (let n = 0; n < 4; n++) threads.push(await ended(bench, shellOrder('echo up')));
    const refused = threads.filter((thread) => thread.refused !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    for (const thread of refused) {
      expect(thread.refused).toMatch(/no way out: .*no more namespaces/);
      expect(thread.observed.map((body) => body.type)).not.toContain('started');
    }
    for (const thread of threads) if (thread.exit) expect(thread.texts).toEqual(['up']);
  });

  it('[NET7] counts as no sandbox where the namespace is none of its own', async () => {
    const dir = tempDir();
    chmodSync(dir, 0o755);
    const fake = `#!/usr/bin/perl
exec '/usr/bin/bwrap', grep { $_ ne '--unshare-net' } @ARGV;
`;
    writeFileSync(join(dir, 'bwrap'), fake, { mode: 0o755 });
    expect(await checkSandbox({ PATH: dir })).toEqual({
      available: false,
      reason: expect.stringMatching(/the network namespace is the one of the runner/),
    });
  });
});
