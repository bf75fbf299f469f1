import { FilepathError } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { guard } from '../../src/http/guard.ts';
import { originOf } from '../../src/http/origins.ts';
import { testEnv } from './env-fixture.ts';

const ORIGIN = 'http://127.0.0.1:4280';

function verdict(url: string, headers: Record<string, string> = {}, method = 'GET'): string {
  try {
    guard(new Request(url, { headers, method }), testEnv());
    return 'pass';
  } catch (error) {
    if (error instanceof FilepathError) return error.code;
    throw error;
  }
}

describe('Host', () => {
  it.each(['http://127.0.0.1:4280/', 'http://localhost:4280/api/health', 'http://LOCALHOST:4280/'])(
    'lets %s pass',
    (url) => expect(verdict(url)).toBe('pass'),
  );

  it.each([
    'http://evil.test/',
    'http://evil.test:4280/',
    'http://localhost:4281/',
    'http://localhost/',
    'http://localhost.:4280/',
    'http://localhost.evil.test:4280/',
    'http://[::1]:4280/',
  ])('answers %s as misdirected', (url) => expect(verdict(url)).toBe('misdirected_host'));

  it.each(['evil.test', 'evil@localhost:4280', 'localhost:4280/x', 'localhost:99999', ''])(
    'refuses the Host header %j under an allowed URL',
    (host) => expect(verdict(ORIGIN, { host })).toBe('misdirected_host'),
  );

  it('refuses everything when no origin is configured', () => {
    expect(() => guard(new Request(ORIGIN), testEnv({ FILEPATH_ORIGINS: '' }))).toThrow(/host/);
  });

  it('is checked before Origin', () =>
    expect(verdict('http://evil.test/', { origin: 'http://evil.test' })).toBe('misdirected_host'));
});

describe('Origin', () => {
  it('lets an allowed origin pass, also another one of the list', () => {
    expect(verdict(ORIGIN, { origin: ORIGIN })).toBe('pass');
    expect(verdict(ORIGIN, { origin: 'http://localhost:4280' })).toBe('pass');
  });

  it.each([
    'http://evil.test',
    'null',
    'https://127.0.0.1:4280',
    'http://127.0.0.1',
    'http://127.0.0.1:4280.evil.test',
    'http://127.0.0.1:42800',
    '',
  ])('refuses %j', (origin) => expect(verdict(ORIGIN, { origin })).toBe('forbidden_origin'));

  it.each(['cross-site', 'same-site'])('refuses a fetch that the browser calls %s', (site) => {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' };
    expect(verdict(ORIGIN, headers)).toBe('forbidden_origin');
  });

  it('lets a person follow a link from elsewhere', () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(verdict(ORIGIN, headers)).toBe('pass');
    expect(verdict(ORIGIN, headers, 'POST')).toBe('forbidden_origin');
  });
});

describe('the origin of a request', () => {
  const request = new Request('http://agents.example/');
  const of = (FILEPATH_ORIGINS: string) => originOf(request, testEnv({ FILEPATH_ORIGINS }));

  it('takes the scheme from the configuration, for a proxy that ends TLS', () => {
    expect(of('https://other.example, https://agents.example/')).toBe('https://agents.example');
    expect(of('http://agents.example:80')).toBe('http://agents.example');
    expect(of('https://agents.example')).toBe('https://agents.example');
    expect(of('https://agents.example,http://agents.example')).toBe('http://agents.example');
  });

  it.each([
    'agents.example',
    'ftp://agents.example',
    'http://agents.example/path',
    'http://u@agents.example',
  ])('leaves out %s, which is no origin', (entry) => expect(of(entry)).toBe(null));

  it('is null for a host that is not configured', () => {
    expect(originOf(new Request('http://evil.test/'), testEnv())).toBe(null);
  });
});
