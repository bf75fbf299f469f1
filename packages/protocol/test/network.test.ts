import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentConfig, canonicalHost, issuesOf, parseAllowedHost } from '../src/index.ts';

describe('a host', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['ｅxample.com', 'example.com'],
    ['example。com', 'example.com'],
    ['example．com', 'example.com'],
    ['a_b.example.com', 'a_b.example.com'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0x7f.0.0.1', '127.0.0.1'],
    ['0177.0.0.01', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0xA9FEA9FE', '169.254.169.254'],
    ['0', '0.0.0.0'],
    ['[::1]', '::1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['[::FFFF:127.0.0.1]', '::ffff:7f00:1'],
  ])('[NET2] %j is %j', (text, host) => {
    expect(canonicalHost(text)).toBe(host);
  });

  it.each([
    '',
    '.',
    '..',
    'example.com..',
    '.example.com',
    'a..b',
    'exa mple.com',
    ' example.com',
    'example.com\n',
    'example.com\0.evil.test',
    'example.com\t',
    'user@example.com',
    'example.com@evil.test',
    'example.com/path',
    'example.com\\evil.test',
    'example.com#x',
    'example.com?x',
    'example.com%2eevil.test',
    'example%2ecom',
    'example.com:80',
    '-example.com',
    'example-.com',
    '[::1',
    '::1',
    '[fe80::1%25eth0]',
    '[fe80::1%eth0]',
    '256.1.1.1',
    '1.2.3.4.5',
    '0x7f.0.0.08',
    '*.example.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}com`,
  ])('[NET2] %j names none', (text) => {
    expect(canonicalHost(text)).toBeNull();
  });

  it('[NET2] has one spelling, whatever it was given as', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.domain(), fc.webAuthority(), fc.string({ unit: 'binary' })),
        (text) => {
          const host = canonicalHost(text);
          if (host === null) return;
          const again = host.includes(':') ? `[${host}]` : host;
          expect(canonicalHost(again)).toBe(host);
          expect(host).toMatch(/^[a-z0-9._:-]+$/);
          expect(host).not.toMatch(/^\.|\.$|\.\./);
        },
      ),
    );
  });
});

describe('an entry of allow', () => {
  it.each([
    ['Example.com', { host: 'example.com', below: false, port: null }],
    ['*.Example.com.', { host: 'example.com', below: true, port: null }],
    ['example.com:8443', { host: 'example.com', below: false, port: 8443 }],
    ['*.example.com:22', { host: 'example.com', below: true, port: 22 }],
    ['[2606:4700::1111]:853', { host: '2606:4700::1111', below: false, port: 853 }],
  ])('[NET2] %j', (text, entry) => {
    expect(parseAllowedHost(text)).toEqual(entry);
  });

  it.each([
    '*',
    '*.',
    '*.com',
    '*.*.com',
    'a.*.com',
    '*.1.2.3.4',
    'https://example.com',
    'a.com:0',
  ])('[NET2] is not %j', (text) => {
    expect(parseAllowedHost(text)).toBeNull();
  });

  it.each(['a.com:65536', 'a.com:', 'a.com:80:80', '[::1]80', 'a.com/x', '', '*.[::1]'])(
    '[NET2] is not %j',
    (text) => {
      expect(parseAllowedHost(text)).toBeNull();
    },
  );
});

describe('the network of a configuration', () => {
  it('[NET1] is a policy with at most 64 domains, strict', () => {
    const allow = Array.from({ length: 64 }, (_, n) => `d${n}.example.com`);
    expect(AgentConfig.parse({ network: { policy: 'open', allow } }).network?.allow).toEqual(allow);
    const faults = (network: unknown) =>
      issuesOf(AgentConfig.safeParse({ network }).error ?? new z.ZodError([])).map(
        ({ path }) => path,
      );
    expect(faults({ policy: 'open', allow: [...allow, 'more.com'] })).toEqual(['network.allow']);
    expect(faults({ policy: 'some' })).toEqual(['network.policy']);
    expect(faults({ policy: 'none', alow: [] })).toEqual(['network']);
    expect(faults({ policy: 'allowlist', allow: ['http://x.com/'] })).toEqual(['network.allow.0']);
  });
});
