import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Package = { name: string; version: string; [key: string]: unknown };

export type Registry = AsyncDisposable & { url: string };

/** A registry with one package, for the real npm. */
export async function registryWith(
  manifest: Package,
  files: Record<string, string>,
): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'filepath-registry-'));
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  for (const [name, text] of Object.entries(all)) {
    const path = join(folder, 'package', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o755 });
  }
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  const tarball = readFileSync(join(folder, 'package.tgz'));
  rmSync(folder, { recursive: true });
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz') === true) return response.end(tarball);
    const dist = {
      tarball: `${url()}/package.tgz`,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    };
    const { name, version } = manifest;
    if (decodeURIComponent(request.url ?? '') !== `/${name}`) return response.writeHead(404).end();
    const versions = { [version]: { ...manifest, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: url(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
