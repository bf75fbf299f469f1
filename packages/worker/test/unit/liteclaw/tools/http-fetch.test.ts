import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpFetch } from '../../../../src/liteclaw/tools/http-fetch.ts';
import { isNamed, webTarget } from '../../../../src/liteclaw/tools/web-target.ts';
import { LIMITS, runWith } from './support.ts';

type Answer = (url: string, init: RequestInit) => Response;

/** The network is played: what is tested is what is asked of it. */
function web(answer: Answer, allow: string[] = ['a.com'], permitted?: string) {
  const asked: string[] = [];
  const send = (way: string) => async (url: string, init: RequestInit) => {
    asked.push(`${way} ${init.method} ${url}`);
    return answer(url, init);
  };
  const tool = httpFetch({ open: send('open'), inside: send('inside'), permitted });
  const rules = { policy: 'read-only', allow } as const;
  return { asked, ...runWith([tool], rules, { ...LIMITS, calls: 50 }) };
}
const page: Answer = () => new Response('hello', { headers: { 'content-type': 'text/plain' } });
const to = (location: string): Response =>
  new Response(null, { status: 302, headers: { location } });

describe('http.fetch', () => {
  it('[TOOL4] asks hosts that are named, and nothing unless one is', async () => {
    const it = web(page);
    expect((await it.call('http_fetch', { url: 'https://A.com./x?y#z' })).output).toEqual({
      url: 'https://a.com/x?y',
      status: 200,
      content_type: 'text/plain',
      text: 'hello',
      cut: false,
    });
    for (const url of ['https://b.com/', 'https://a.com:8443/', 'https://x.a.com/'])
      expect((await it.call('http_fetch', { url })).ok).toBe(false);
    expect(it.asked).toEqual(['open GET https://a.com/x?y']);
    const none = web(page, []);
    expect((await none.call('http_fetch', { url: 'https://a.com/' })).output).toMatchObject({
      error: expect.stringMatching(/none is/),
    });
    expect(none.asked).toEqual([]);
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fe80::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://93.184.216.34/',
  ])('[TOOL4] T14: no address is asked, even if it is named: %s', async (url) => {
    const { hostname } = new URL(url);
    const it = web(page, [hostname]);
    expect((await it.call('http_fetch', { url })).ok).toBe(false);
    expect(it.asked).toEqual([]);
  });

  it.each([
    'https://a.com.evil/',
    'https://a.com@evil.test/',
    'https://evil.test@a.com/',
    'https://xa.com/',
    'https://a.com\\@evil.test/',
    'https://a.com%00.evil.test/',
    'https://a.com\0.evil.test/',
    'https://a%2ecom/',
    'https://a.com..',
    'https://a。com/',
    'https://ａ.com/',
    'https:a.com',
    'https:///a.com',
    '//a.com/',
    'ftp://a.com/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://a.com:0/',
    'https://a.com:99999/',
    'https://a.com /',
    ' https://a.com/',
    'https://a.com\n/',
  ])('[TOOL4] T17: %j is not taken for a.com', async (url) => {
    const it = web(page);
    expect((await it.call('http_fetch', { url })).ok).toBe(false);
    expect(it.asked).toEqual([]);
  });

  it('[TOOL4] T17: whatever is put around a name, another host is not taken for it', () => {
    const host = fc.oneof(fc.domain(), fc.string({ unit: 'binary', maxLength: 12 }));
    const around = fc.constantFrom('.', '@', '/', '\\', '%00', '\0', ':', ' ', '#', '?', '', '..');
    fc.assert(
      fc.property(host, around, around, host, (before, one, other, after) => {
        const target = webTarget(`https://${before}${one}allowed.com${other}${after}`);
        if (target === null || !isNamed(target, ['allowed.com', '*.allowed.org'])) return;
        const { hostname, username } = new URL(target.url);
        expect(username).toBe('');
        expect(hostname === 'allowed.com' || hostname.endsWith('.allowed.org')).toBe(true);
      }),
    );
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.1/',
    'http://localhost/',
    'http://evil.test/',
    '//evil.test/x',
    'http://a.com@evil.test/',
    'file:///etc/passwd',
    '/\\evil.test',
  ])('[TOOL4] T15: a redirect to %s is not followed', async (location) => {
    const it = web(() => to(location));
    expect((await it.call('http_fetch', { url: 'https://a.com/' })).ok).toBe(false);
    expect(it.asked).toEqual(['open GET https://a.com/']);
  });

  it('[TOOL4] T15: redirects within what is named are followed, to an end', async () => {
    const it = web((url) => (url.endsWith('/start') ? to('/next') : page(url, {})));
    expect((await it.call('http_fetch', { url: 'https://a.com/start' })).output).toMatchObject({
      url: 'https://a.com/next',
    });
    const round = web(() => to('/again'));
    expect((await round.call('http_fetch', { url: 'https://a.com/' })).ok).toBe(false);
    expect(round.asked).toHaveLength(6);
  });

  it('[TOOL4] only what the operator permits goes inside, by its port', async () => {
    const it = web(
      page,
      ['registry.lan:4873', 'registry.lan', '10.0.0.7:80'],
      'registry.lan:4873,10.0.0.7:80',
    );
    await it.call('http_fetch', { url: 'http://registry.lan:4873/x' });
    await it.call('http_fetch', { url: 'http://registry.lan/x' });
    await it.call('http_fetch', { url: 'http://10.0.0.7/' });
    expect(it.asked).toEqual([
      'inside GET http://registry.lan:4873/x',
      'open GET http://registry.lan/x',
      'inside GET http://10.0.0.7/',
    ]);
  });

  it('[TOOL4] POST needs read-write, and is not sent again where it is led to', async () => {
    const it = web(() => to('https://a.com/next'));
    const post = { url: 'https://a.com/', method: 'POST', body: 'x' };
    expect((await it.call('http_fetch', post)).output).toMatchObject({
      error: expect.stringMatching(/read-only/),
    });
    it.change({ policy: 'read-write', allow: ['a.com'] });
    expect((await it.call('http_fetch', post)).output).toMatchObject({ status: 302 });
    expect(it.asked).toEqual(['open POST https://a.com/']);
  });

  it('[TOOL4] reads no more than there is room for, and nothing that is no text', async () => {
    let pulled = 0;
    const it = web((url) => {
      if (url.endsWith('.png'))
        return new Response('png', { headers: { 'content-type': 'image/png' } });
      const body = new ReadableStream({
        pull(controller) {
          pulled += 1;
          controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/plain' } });
    });
    expect((await it.call('http_fetch', { url: 'https://a.com/x.png' })).output).toMatchObject({
      text: null,
    });
    const { output } = await it.call('http_fetch', { url: 'https://a.com/' });
    expect([String(output['text']).length, output['cut']]).toEqual([16_000, true]);
    expect(pulled).toBeLessThan(15);
    expect((await it.call('http_fetch', { url: 'https://a.com/' })).ok).toBe(false);
    expect(it.events().at(-1)).toMatchObject({ error_code: 'budget_bytes' });
  });

  it('[TOOL4] a host that cannot be reached is told in words that show nothing of it', async () => {
    const it = web(() => {
      throw new Error('connect ECONNREFUSED 10.1.2.3:80');
    });
    const { output } = await it.call('http_fetch', { url: 'https://a.com/' });
    expect(output).toMatchObject({ error: expect.stringMatching(/cannot be reached/) });
    expect(JSON.stringify(output)).not.toContain('10.1.2.3');
  });
});
