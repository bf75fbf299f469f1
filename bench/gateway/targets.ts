import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api, follow, freePort, type Instance, isType, tempDir } from '@filepath/testkit';
import { Miniflare } from 'miniflare';
import { network } from '../../packages/worker/engine/network.ts';

/** A way to the provider. */
export type Target = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

const PATH = '/v1/messages';
const NGINX = '/usr/sbin/nginx';

export const direct = (upstream: string): Target => ({
  url: `${upstream}${PATH}`,
  headers: {},
  stop: async () => undefined,
});

/** Debian's, as a reverse proxy that holds nothing back. Null where it is not installed. */
export async function nginx(upstream: string): Promise<Target | null> {
  if (!existsSync(NGINX)) return null;
  const dir = tempDir('filepath-nginx');
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${dir.path}/${name};`)
    .join('\n');
  writeFileSync(
    join(dir.path, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${dir.path}/pid; error_log /dev/null;
     events { worker_connections 2048; }
     http {
       access_log off; ${paths}
       upstream model { server ${upstream.replace('http://', '')}; keepalive 256; }
       server {
         listen 127.0.0.1:${port};
         location / {
           proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection "";
           proxy_buffering off; proxy_request_buffering off;
         }
       }
     }`,
  );
  const child = spawn(NGINX, ['-p', dir.path, '-c', join(dir.path, 'nginx.conf')], {
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    headers: {},
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      dir.remove();
    },
  };
}

const BARE = `export default {
  fetch: (request, env) => env.NETWORK.fetch(env.UPSTREAM, request),
};`;

/** A worker that passes a request on and its answer back, by the same network as ours, and does nothing else. */
export async function bareWorker(upstream: string): Promise<Target> {
  const miniflare = new Miniflare({
    workers: [
      {
        name: 'bare',
        modules: true,
        script: BARE,
        compatibilityDate: '2026-07-30',
        bindings: { UPSTREAM: `${upstream}${PATH}` },
        serviceBindings: { NETWORK: network() },
        unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      },
    ],
  });
  await miniflare.ready;
  const { origin } = await miniflare.unsafeGetDirectURL('bare');
  return { url: `${origin}${PATH}`, headers: {}, stop: () => miniflare.dispose() };
}

/** The gateway of an instance, as a runner asks it for one of its agents. */
export async function ours(instance: Instance): Promise<Target> {
  const api = new Api(instance);
  const command = ['sh', '-c', 'printf %s "$FILEPATH_API_KEY" > /workspace/key'];
  const { session, node } = await api.agent(command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  feed.close();
  const secrets: unknown = JSON.parse(readFileSync(join(instance.home, 'secrets.json'), 'utf8'));
  const key = readFileSync(join(instance.home, 'agents', node.slug, 'workspace/key'), 'utf8');
  return {
    url: `${instance.url}/gateway/anthropic${PATH}`,
    headers: {
      'x-filepath-runner-token': String(Reflect.get(secrets as object, 'runnerToken')),
      'x-filepath-session': session.id,
      'x-filepath-thread': node.id,
      'x-api-key': key,
    },
    stop: async () => {
      await api.call('DELETE', `/api/session/${session.id}`);
    },
  };
}
