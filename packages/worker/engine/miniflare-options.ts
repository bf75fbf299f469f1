import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';

import type { MiniflareOptions } from 'miniflare';

import { engineFile } from './engine-file.ts';
import { workerdBinary } from './miniflare.ts';
import { extensions } from './extension-host.ts';
import { network, web, webInside } from './network.ts';
import type { Prepared } from './prepared.ts';
import { SETUP_SCRIPT, SETUP_WORKER } from './setup-worker.ts';

type Setting = {
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly bindings: Readonly<Record<string, string>>;
  readonly dist: string;
  readonly sockets: string;
  readonly prepared: Prepared;
  readonly readOutput: (stream: Readable) => void;
};

/**
 * The public port leads straight to the worker: Miniflare's entry worker, with its development endpoints, is
 * on a socket in the home and on no port. The setup worker owns the public socket only because a worker with
 * assets would have the assets router put before it; the worker asks for its assets itself.
 */
export function miniflareOptions(setting: Setting): MiniflareOptions {
  const { home, host, port, bindings, dist, sockets, prepared, readOutput } = setting;
  const { modules, worker } = prepared;
  return {
    cf: false,
    logRequests: false,
    defaultPersistRoot: join(home, 'state'),
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      readOutput(stdout);
      readOutput(stderr);
    },
    unsafeRuntimeEnv: {
      FILEPATH_WORKERD: workerdBinary(),
      FILEPATH_ENGINE_FILE: engineFile(home),
      FILEPATH_SOCKETS: sockets,
      // For `Housekeeping` of the worker. No code but ours runs in this engine.
      FILEPATH_V8_FLAGS: '--expose-gc',
    },
    workers: [
      {
        ...worker,
        ...assets(dist, worker.assets),
        rootPath: dist,
        modulesRoot: dist,
        modules: modules.map((path) => ({ type: 'ESModule', path: join(dist, path) })),
        bindings: { ...bindings },
        serviceBindings: {
          NETWORK: network(),
          WEB: web(),
          WEB_INSIDE: webInside(),
          EXTENSIONS: extensions(sockets),
        },
      },
      {
        name: SETUP_WORKER,
        compatibilityDate: worker.compatibilityDate,
        modules: true,
        script: SETUP_SCRIPT,
        d1Databases: worker.d1Databases,
        serviceBindings: { HOUSEKEEPING: { name: worker.name, entrypoint: 'Housekeeping' } },
        unsafeDirectSockets: [{ serviceName: worker.name, host, port }],
      },
    ],
  };
}

function assets(dist: string, prepared: Prepared['worker']['assets']) {
  if (prepared === undefined) return {};
  const directory = resolve(dist, prepared.directory);
  mkdirSync(directory, { recursive: true });
  return { assets: { ...prepared, directory } };
}
