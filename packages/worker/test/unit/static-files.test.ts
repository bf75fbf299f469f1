import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import { testContext, testEnv } from './env-fixture.ts';

const SCRIPT = '\n  start({ base: "" });\n';
const PAGE = `<!doctype html><script src="/a.js"></script><script>${SCRIPT}</script>`;

/** Answers like the assets service: files by path, the page for everything else. */
const ASSETS = {
  fetch: async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('.js') && !pathname.includes('gone'))
      return new Response('export {}', { headers: { 'content-type': 'text/javascript' } });
    if (request.headers.has('if-none-match')) return new Response(null, { status: 304 });
    return new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  },
} as unknown as Fetcher;

async function get(path: string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(`http://localhost:4280${path}`, init);
  return buildApp([]).fetch(request, testEnv({ ASSETS }), testContext);
}

describe('static files', () => {
  it.each(['/', '/session/ses_x', '/sign-in?error=expired'])(
    'serves the page at %s',
    async (path) => {
      const response = await get(path);
      expect(await response.text()).toBe(PAGE);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('x-frame-options')).toBe('DENY');
    },
  );

  it('allows the page its own inline scripts by hash and no others', async () => {
    const policy = (await get('/')).headers.get('content-security-policy');
    const hash = createHash('sha256').update(SCRIPT).digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('always sends the page whole, because its headers come from its text', async () => {
    const headers = { accept: 'text/html', 'if-none-match': '"x"' };
    expect((await get('/', { headers })).status).toBe(200);
  });

  it('lets hashed files be kept for good and asks for the others again', async () => {
    const kept = await get('/_app/immutable/chunk.js');
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await get('/_app/env.js')).headers.get('cache-control')).toBe('no-cache');
  });

  it.each(['/_app/immutable/gone.js', '/gone.css', '/favicon.ico'])(
    'answers 404 for the missing file %s instead of the page',
    async (path) => expect((await get(path)).status).toBe(404),
  );

  it('takes GET and HEAD only', async () => {
    expect((await get('/', { method: 'POST' })).status).toBe(405);
    expect((await get('/', { method: 'HEAD' })).status).toBe(200);
  });
});
