import { join } from 'node:path';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineProject } from 'vitest/config';

const LIMIT_MS = 60_000;

const here = (path: string) => join(import.meta.dirname, path);

type Project = {
  readonly name: string;
  readonly include: string;
  /** The worker under test. */
  readonly main: string;
  readonly bindings: Readonly<Record<string, string>>;
};

/** Tests in workerd with the worker's own configuration. */
export function inWorkerd({ name, include, main, bindings }: Project) {
  return defineProject({
    root: here('.'),
    plugins: [
      cloudflareTest(async () => ({
        main: here(main),
        wrangler: { configPath: here('wrangler.jsonc') },
        miniflare: {
          // As a platform gives it; the engine has a host of its own in its place.
          workerLoaders: { LOADER: {} },
          bindings: {
            FILEPATH_TOKEN: 'owner-token-for-tests',
            FILEPATH_RUNNER_TOKEN: 'runner-token-for-tests',
            FILEPATH_SECRET: 'cookie-secret-for-tests-0123456789abcdef',
            ...bindings,
            TEST_MIGRATIONS: await readD1Migrations(here('migrations')),
          },
        },
      })),
    ],
    test: {
      name,
      include: [include],
      setupFiles: [here('test/workerd/setup.ts')],
      testTimeout: LIMIT_MS,
      hookTimeout: LIMIT_MS,
      // As long as a test may take: what is waited for comes or the test fails.
      expect: { poll: { timeout: LIMIT_MS } },
      // Parts of it are CommonJS that names ES modules: it runs as one file, as in the built worker.
      deps: { optimizer: { ssr: { enabled: true, include: ['@simplewebauthn/server'] } } },
    },
  });
}
