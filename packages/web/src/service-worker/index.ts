import { assets, immutable } from '$app/manifest';
import { self } from '$app/service-worker';

/**
 * Keeps the shell of the page, so that it opens without a connection and says so: the one page, static files, and
 * what of the build was asked for. Nothing of the API is ever kept.
 */
const CACHE = 'filepath-shell';
const SHELL = '/';
const built = new Set(immutable.map(({ path }) => absolute(path)));
const files = new Set(assets.map(({ path }) => absolute(path)));

self.addEventListener('install', (event) => {
  event.waitUntil(prepare());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(takeOver());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith('/api/') || url.pathname.startsWith('/agents/')) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (built.has(url.pathname)) event.respondWith(kept(request));
  else if (files.has(url.pathname)) event.respondWith(fresh(request));
});

/** What a page loaded before this worker was there. From now on it is asked for what the page loads. */
self.addEventListener('message', (event) => {
  const paths: unknown = event.data;
  if (!Array.isArray(paths)) return;
  const known = paths.filter((path): path is string => typeof path === 'string' && built.has(path));
  event.waitUntil(Promise.all([keep(known), self.clients.claim()]));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const path: unknown = event.notification.data;
  event.waitUntil(open(typeof path === 'string' && path.startsWith('/') ? path : SHELL));
});

async function prepare(): Promise<void> {
  await keep([SHELL, ...files]);
  await self.skipWaiting();
}

async function takeOver(): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname !== SHELL && !built.has(pathname) && !files.has(pathname)) {
      await cache.delete(request);
    }
  }
  await self.clients.claim();
}

async function keep(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all(paths.map((path) => cache.add(path).catch(() => undefined)));
}

/** The page as the server has it; the kept one when there is no server to ask. */
async function page(request: Request): Promise<Response> {
  try {
    const found = await fetch(request);
    const html = found.headers.get('content-type')?.startsWith('text/html') ?? false;
    if (found.ok && html && !found.redirected) {
      await (await caches.open(CACHE)).put(SHELL, found.clone());
    }
    return found;
  } catch (error) {
    const shell = await caches.match(SHELL);
    if (shell) return shell;
    throw error;
  }
}

/** Files of the build never change under their names. */
async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request);
  if (found) return found;
  const fetched = await fetch(request);
  if (fetched.ok) await cache.put(request, fetched.clone());
  return fetched;
}

async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await caches.match(request);
    if (found) return found;
    throw error;
  }
}

async function open(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window' });
  const there = windows.find(
    (one) => new URL(one.url).pathname === new URL(path, one.url).pathname,
  );
  if (there) {
    await there.focus();
    await there.navigate(path);
  } else await self.clients.openWindow(path);
}

function absolute(path: string): string {
  return new URL(path, self.location.origin).pathname;
}
