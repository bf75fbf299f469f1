import { readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname } from 'node:path';

import { messageOf } from './errors.ts';

/**
 * Miniflare is made for development and opens what a server must not: its loopback server writes files
 * anywhere for whoever finds its port, its entry worker serves every R2 object and lets a header name the
 * URL, and it exits the process on signals. Each change below closes one of these, but for two: one halves
 * the time to write workerd's configuration, one lets each engine have its own flags of V8. Each must match the pinned version exactly, or the engine does
 * not start.
 */
const CHANGES: readonly (readonly [found: string, replacement: string])[] = [
  [
    'import_node_http2.default.createServer(this.#handleLoopback)',
    'import_node_http2.default.createServer((_, response) => response.writeHead(204).end())',
  ],
  [
    'server.on("upgrade", this.#handleLoopbackUpgrade);',
    'server.on("upgrade", (_, socket) => socket.destroy());',
  ],
  [
    'server.listen(0, hostname3, () => resolve7(server));',
    `server.address = () => ({ port: 0 });
      server.listen(this.#sharedOpts.core.unsafeRuntimeEnv.FILEPATH_SOCKETS + "/loopback", () => resolve7(server));`,
  ],
  [
    '`--socket-addr=${SOCKET_ENTRY}=${options.entryAddress}`',
    '`--socket-addr=${SOCKET_ENTRY}=unix:${options.runtimeEnv.FILEPATH_SOCKETS}/entry`',
  ],
  [
    '`--external-addr=${SERVICE_LOOPBACK}=${options.loopbackAddress}`',
    '`--external-addr=${SERVICE_LOOPBACK}=unix:${options.runtimeEnv.FILEPATH_SOCKETS}/loopback`',
  ],
  [
    `            cfBlobHeader: CoreHeaders.CF_BLOB,
            capnpConnectHost: HOST_CAPNP_CONNECT
`,
    '',
  ],
  [
    'const r2PublicService = getR2PublicService(allWorkerOpts ?? []);',
    'const r2PublicService = void 0;',
  ],
  [
    's.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);',
    's.buffer = new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength));',
  ],
  [
    'v8Flags: process.env.MINIFLARE_WORKERD_V8_FLAGS ? process.env.MINIFLARE_WORKERD_V8_FLAGS.split(" ") : []',
    'v8Flags: this.#sharedOpts.core.unsafeRuntimeEnv.FILEPATH_V8_FLAGS?.split(" ") ?? []',
  ],
  ['process.on("SIGINT", onSignalInt);', ''],
  ['process.on("SIGTERM", onSignalTerm);', ''],
];

type Miniflare = typeof import('miniflare');

type CompilableModule = Module & { _compile(source: string, file: string): void };

let loaded: Miniflare | null = null;

export function loadMiniflare(): Miniflare {
  loaded ??= compile();
  return loaded;
}

/** The path of the workerd binary that belongs to this Miniflare. */
export function workerdBinary(): string {
  const resolve = createRequire(createRequire(import.meta.url).resolve('miniflare'));
  const { default: binary } = resolve('workerd') as { default: string };
  return binary;
}

function compile(): Miniflare {
  const file = createRequire(import.meta.url).resolve('miniflare');
  const compiled = new Module(file) as CompilableModule;
  compiled.filename = file;
  compiled.paths = createRequire(file).resolve.paths('miniflare') ?? [dirname(file)];
  compiled._compile(change(readFileSync(file, 'utf8')), file);
  return compiled.exports as Miniflare;
}

/** Looks for everything first and joins once: the source is a string of four megabytes. */
function change(source: string): string {
  const places = CHANGES.map(([found, replacement]) => {
    const at = source.indexOf(found);
    if (at === -1 || source.includes(found, at + 1)) {
      throw new Error(
        `The installed Miniflare is not the one this engine was made for (looking for ${found}); run npm ci.`,
      );
    }
    return { at, end: at + found.length, replacement };
  }).sort((one, other) => one.at - other.at);
  let from = 0;
  const parts = places.flatMap(({ at, end, replacement }) => {
    const part = [source.slice(from, at), replacement];
    from = end;
    return part;
  });
  return [...parts, source.slice(from)].join('');
}

export function explain(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? 'unknown error';
}
