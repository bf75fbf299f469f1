import type { RunnerBody } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownAddresses, standingOf } from '../src/egress/addresses.ts';
import { Denials } from '../src/egress/denials.ts';
import { permittedHosts } from '../src/egress/dialer.ts';
import { endToEnd } from '../src/egress/headers.ts';
import { EgressPolicy } from '../src/egress/policy.ts';
import { REGISTRIES } from '../src/egress/registries.ts';
import { parseAbsolute, parseAuthority } from '../src/egress/target.ts';
import { gatewayPath } from '../src/egress/to-worker.ts';

const allowlist = (allow: string[], repository: string | null = null): EgressPolicy =>
  new EgressPolicy({ policy: 'allowlist', allow }, repository);
const allows = (policy: EgressPolicy, authority: string): boolean => {
  const target = parseAuthority(authority, 443);
  return target !== null && policy.denial(target.host, target.port) === null;
};

describe('a policy', () => {
  it('[NET1] none allows nothing, allowlist what it names, open every name', () => {
    const allow = ['a.com'];
    const hosts = ['a.com', 'registry.npmjs.org', 'b.com'];
    const allowed = (policy: 'none' | 'allowlist' | 'open'): string[] =>
      hosts.filter((host) => allows(new EgressPolicy({ policy, allow }, null), host));
    expect(allowed('none')).toEqual([]);
    expect(allowed('allowlist')).toEqual(['a.com', 'registry.npmjs.org']);
    expect(allowed('open')).toEqual(hosts);
  });

  it.each([
    ['https://user:pass@Git.Example.com/repo.git', 'git.example.com', true],
    ['https://git.example.com:8443/repo.git', 'git.example.com:8443', true],
    ['https://git.example.com/repo.git', 'git.example.com:8443', false],
    ['git@git.example.com:owner/repo.git', 'git.example.com', true],
    ['ssh://git@git.example.com:2222/repo.git', 'git.example.com', true],
    ['ssh://git@git.example.com:2222/repo.git', 'git.example.com:2222', false],
    ['https://git.example.com/repo.git', 'example.com', false],
    ['/srv/repo.git', 'srv', false],
  ])('[NET1] of a session on %s allows %s: %j', (repository, authority, expected) => {
    expect(allows(allowlist([], repository), authority)).toBe(expected);
  });

  it('[NET1] names registries in their one spelling, each once', () => {
    expect(new Set(REGISTRIES).size).toBe(REGISTRIES.length);
    for (const host of REGISTRIES) expect(parseAuthority(host, 443)?.host).toBe(host);
  });

  it.each([
    ['a.com', 'a.com', true],
    ['a.com', 'A.CoM.', true],
    ['A.com.', 'a.com', true],
    ['a.com', 'a.com.evil', false],
    ['a.com', 'xa.com', false],
    ['a.com', 'x.a.com', false],
    ['a.com', 'a.com..', false],
    ['a.com', 'a.com\0.evil.test', false],
    ['a.com', 'a.com@evil.test', false],
    ['a.com', 'evil.test@a.com', false],
    ['a.com', 'a.com%00.evil.test', false],
    ['a.com', 'a%2ecom', false],
    ['a.com', ' a.com', false],
    ['a.com', 'a.com ', false],
    ['a.com', 'a.com/x', false],
    ['a.com', 'a。com', false],
    ['*.a.com', 'x.a.com', true],
    ['*.a.com', 'x.y.A.com.', true],
    ['*.a.com', 'a.com', false],
    ['*.a.com', 'xa.com', false],
    ['*.a.com', 'x.a.com.evil', false],
    ['bücher.example', 'xn--bcher-kva.example', true],
    ['93.184.216.34', '0x5db8d822', true],
    ['[2606:4700::1111]', '[2606:4700:0:0::1111]', true],
    ['[2606:4700::1111]', '[2606:4700::1111%25lo]', false],
  ])('[NET2] T17: with %j, %j is allowed: %j', (entry, authority, expected) => {
    expect(allows(allowlist([entry]), authority)).toBe(expected);
  });

  it('[NET2] T17: whatever is put around an allowed name, another host is not taken for it', () => {
    const policy = allowlist(['allowed.com', '*.allowed.org']);
    const host = fc.oneof(fc.domain(), fc.string({ unit: 'binary', maxLength: 12 }));
    const around = fc.constantFrom('.', '@', '/', '\\', '%00', '\0', ':', ' ', '#', '?', '', '..');
    fc.assert(
      fc.property(host, around, around, host, (before, one, other, after) => {
        const target = parseAuthority(`${before}${one}allowed.com${other}${after}`, 443);
        if (target === null || policy.denial(target.host, target.port) !== null) return;
        expect(target.host === 'allowed.com' || target.host.endsWith('.allowed.org')).toBe(true);
      }),
    );
  });

  it.each([
    ['allowlist', 'a.com', 80, true],
    ['allowlist', 'a.com', 443, true],
    ['allowlist', 'a.com', 22, false],
    ['allowlist', 'b.com', 8443, true],
    ['allowlist', 'b.com', 443, false],
    ['allowlist', 'c.com', 80, false],
    ['open', 'c.com', 443, true],
    ['open', 'c.com', 25, false],
    ['open', 'b.com', 8443, true],
  ] as const)('[NET3] %s: port of %s:%d is allowed: %j', (policy, host, port, expected) => {
    const network = { policy, allow: ['a.com', 'b.com:8443'] };
    expect(new EgressPolicy(network, null).denial(host, port) === null).toBe(expected);
  });

  it('[NET9] says what to change, by the entry that would allow it', () => {
    const hint = (policy: 'none' | 'allowlist' | 'open', host: string, port: number) =>
      new EgressPolicy({ policy, allow: ['a.com'] }, null).denial(host, port)?.hint;
    expect(hint('none', 'b.com', 443)).toContain('"allowlist" with "b.com" in network.allow');
    expect(hint('allowlist', 'b.com', 443)).toContain('add "b.com" to network.allow');
    expect(hint('allowlist', 'a.com', 22)).toContain('add "a.com:22" to network.allow');
    expect(hint('open', '2606:4700::1111', 22)).toContain('add "[2606:4700::1111]:22"');
  });
});

const FORBIDDEN = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.0.1',
  '192.0.0.192',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::7f00:1',
  '::127.0.0.1',
  '::8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  '5f00::1',
  'fe80::1',
  'fe80::1%lo',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '2606:4700::1%lo',
  '',
  'x',
  '127.1',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '1.2.3',
  '[::1]',
  '1.1.1.1 ',
];
const PRIVATE = [
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '::1',
  '0:0:0:0:0:0:0:1',
  'fc00::1',
  'fdff:ffff::1',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.1',
  '198.17.255.255',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  '2001:4860:4860::8888',
  '2003::1',
];

describe('an address', () => {
  it.each([
    ...FORBIDDEN.map((address) => [address, 'forbidden'] as const),
    ...PRIVATE.map((address) => [address, 'private'] as const),
    ...PUBLIC.map((address) => [address, 'public'] as const),
  ])('[NET4] T14: %j is %s', (address, standing) => {
    expect(standingOf(address, [])).toBe(standing);
  });

  it('[NET4] T14: no IPv4 address is public in any IPv6 dress', () => {
    const part = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        const hex = (one: number, two: number) => ((one << 8) | two).toString(16);
        const tail = `${hex(a, b)}:${hex(c, d)}`;
        for (const dress of [
          '::ffff:',
          '::',
          '64:ff9b::',
          '64:ff9b:1::',
          '::ffff:0:',
          'fe80::5efe:',
        ]) {
          expect(standingOf(dress + tail, []), dress + tail).not.toBe('public');
        }
        expect(standingOf(`2002:${tail}::1`, [])).not.toBe('public');
        expect(standingOf(`2001:0:${tail}::1`, [])).not.toBe('public');
      }),
    );
  });

  it('[NET5] T16: of an interface of this machine is private, however it is spelled', () => {
    const own = ['8.8.4.4', '2606:4700:0:0::7', 'fe80::1%eth0'];
    expect(standingOf('8.8.4.4', own)).toBe('private');
    expect(standingOf('2606:4700::7', own)).toBe('private');
    expect(standingOf('8.8.4.5', own)).toBe('public');
    for (const address of ownAddresses()) expect(standingOf(address)).not.toBe('public');
    expect(ownAddresses()).toContain('127.0.0.1');
  });
});

describe('what a client asks the proxy for', () => {
  it.each([
    ['http://a.com', { host: 'a.com', port: 80, path: '/' }],
    [
      'HTTP://A.com:8080/x?y=http://b.com',
      { host: 'a.com', port: 8080, path: '/x?y=http://b.com' },
    ],
    ['http://a.com?q', { host: 'a.com', port: 80, path: '/?q' }],
    ['http://[::1]:81/', { host: '::1', port: 81, path: '/' }],
    ['http://2130706433/', { host: '127.0.0.1', port: 80, path: '/' }],
  ])('[NET8] %j', (url, target) => {
    expect(parseAbsolute(url)).toEqual(target);
  });

  it.each([
    'https://a.com/',
    'http:/a.com/',
    'http:a.com',
    'http://',
    'http:///x',
    'http://a.com@b.com/',
    'http://user:pass@a.com/',
    'http://a.com:80:80/',
    'http://a.com:0/',
    'http://a.com:99999/',
    'http://a.com\\@b.com/',
    'http://a.com#/',
    'http://a.com/#x',
    'http://a%2ecom/',
    'http://ａ.com/',
    'ftp://a.com/',
    'a.com:443',
    '*',
  ])('[NET8] %j is no URL for it', (url) => {
    expect(parseAbsolute(url)).toBeNull();
  });

  it.each(['/gateway/v1/models', '/gateway/openai/v1/chat/completions?x=%2e%2e&y=..'])(
    '[NET10] %s is the gateway',
    (url) => {
      expect(gatewayPath(url)).toBe(url);
    },
  );

  it.each([
    '/',
    '/gateway',
    '/gatewayx/y',
    '//gateway/x',
    '/gateway/../api/session',
    '/gateway/./x',
    '/gateway/..',
    '/gateway/%2e%2e/api/session',
    '/gateway/%2E./api/session',
    '/gateway/..%2fapi/session',
    '/gateway/..%5capi',
    '/gateway/..\\api\\session',
    '/gateway/x/../../api/session',
    '/api/session',
    '/gateway/x#y',
  ])('[NET10] %s is not', (url) => {
    expect(gatewayPath(url)).toBeNull();
  });

  it('[NET8] keeps headers of one hop, and what they name, to itself', () => {
    const raw = [
      'Host',
      'a.com',
      'Connection',
      'close, X-Mine',
      'X-Mine',
      '1',
      'Keep-Alive',
      'x',
      'Proxy-Authorization',
      'Basic x',
      'Proxy-Connection',
      'keep-alive',
      'TE',
      'trailers',
      'Transfer-Encoding',
      'chunked',
      'Upgrade',
      'h2c',
      'Trailer',
      'x',
      'Expect',
      '100-continue',

      'Accept',
      '*/*',
      'X-Twice',
      'a',
      'x-twice',
      'b',
      'Connection',
      'content-length',
      'Content-Length',
      '3',
      '__proto__',
      'x',
    ];
    const kept = endToEnd(raw);
    expect(Object.entries(kept)).toEqual([
      ['host', 'a.com'],
      ['accept', '*/*'],
      ['x-twice', ['a', 'b']],
      ['content-length', '3'],
      ['__proto__', 'x'],
    ]);
  });
});

describe('FILEPATH_EGRESS_PRIVATE', () => {
  it('[NET6] names hosts with their ports, exactly', () => {
    const read = (text: string) => permittedHosts({ FILEPATH_EGRESS_PRIVATE: text });
    expect(read('')).toEqual([]);
    expect(read(' Registry.lan:4873 , 10.0.0.7:80')).toEqual([
      { host: 'registry.lan', below: false, port: 4873 },
      { host: '10.0.0.7', below: false, port: 80 },
    ]);
    for (const text of ['registry.lan', '*.lan:80', 'a:1,', 'http://a:80', 'a b:80']) {
      expect(() => read(text), text).toThrow(/FILEPATH_EGRESS_PRIVATE has/);
    }
  });
});

describe('what is told of denied hosts', () => {
  it('[NET9] is each host once, 50 of them, and then that there are more, also across a restart', () => {
    const told: RunnerBody[] = [];
    const make = (): Denials =>
      new Denials({
        epoch: 3,
        told: [...told],
        observe: (body) => told.push(body),
        redact: (text) => text,
      });
    const deny = (denials: Denials, from: number, to: number): void => {
      for (let n = from; n < to; n++) {
        const target = { host: `h${n}.test`, port: 443 };
        denials.record(target, { reason: 'r', hint: 'h' });
        denials.record({ ...target, port: 80 }, { reason: 'r', hint: 'h' });
      }
    };
    deny(make(), 0, 30);
    expect(told).toHaveLength(30);
    deny(make(), 0, 60);
    deny(make(), 0, 90);
    const hosts = told.map((body) => (body.type === 'denied' ? body.host : undefined));
    expect(hosts).toEqual([...Array.from({ length: 50 }, (_, n) => `h${n}.test`), null]);
    expect(told.at(-1)).toMatchObject({ reason: expect.stringMatching(/more than 50 hosts/) });
  });
});
