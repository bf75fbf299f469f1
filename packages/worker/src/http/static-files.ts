import { createHash } from 'node:crypto';
import { FilepathError } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { pagePolicy } from './headers.ts';

const IMMUTABLE = '/_app/immutable/';

/** The web app: its files, and its one page for every path that is no file. */
export async function serveStatic(request: Request, env: Pick<Env, 'ASSETS'>): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new FilepathError('method_not_allowed', 'Static files are read with GET.');
  const { pathname } = new URL(request.url);
  const found = await env.ASSETS.fetch(assetRequest(request));
  const isPage = found.headers.get('content-type')?.startsWith('text/html') ?? false;
  if (isPage && isFilePath(pathname)) throw missing(pathname);
  if (!found.ok && found.status !== 304 && !(found.status >= 301 && found.status < 309))
    throw missing(pathname);
  return isPage ? page(found, request.method) : file(found, pathname);
}

/** The page is small and its headers come from its text, so it is always read whole. */
function assetRequest(request: Request): Request {
  const headers = new Headers(request.headers);
  const wantsPage = headers.get('accept')?.includes('text/html') ?? false;
  if (wantsPage) {
    headers.delete('if-none-match');
    headers.delete('if-modified-since');
  }
  return new Request(request.url, { method: 'GET', headers });
}

async function page(found: Response, method: string): Promise<Response> {
  const html = await found.text();
  const headers = new Headers(found.headers);
  headers.set('cache-control', 'no-cache');
  headers.set('content-security-policy', pagePolicy(inlineScriptHashes(html)));
  headers.delete('content-length');
  return new Response(method === 'HEAD' ? null : html, { status: found.status, headers });
}

function file(found: Response, pathname: string): Response {
  const out = new Response(found.body, found);
  const immutable = pathname.startsWith(IMMUTABLE) && (found.ok || found.status === 304);
  out.headers.set('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  out.headers.set('content-security-policy', pagePolicy([]));
  return out;
}

/** Scripts that the build wrote into the page: they run, anything injected later does not. */
function inlineScriptHashes(html: string): string[] {
  return [...html.matchAll(/<script(?<attributes>[^>]*)>(?<text>[\s\S]*?)<\/script>/gi)]
    .filter(({ groups }) => !/\ssrc\s*=/i.test(groups?.['attributes'] ?? ''))
    .map(({ groups }) =>
      createHash('sha256')
        .update(groups?.['text'] ?? '')
        .digest('base64'),
    );
}

/** A path with an extension, or below the app's files, names a file: the page is no answer to it. */
function isFilePath(pathname: string): boolean {
  return pathname.startsWith('/_app/') || /\.[A-Za-z0-9]+$/.test(pathname.replace(/\.html$/, ''));
}

const missing = (pathname: string) => new FilepathError('not_found', `No file ${pathname}.`);
