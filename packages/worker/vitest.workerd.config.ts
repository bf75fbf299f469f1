import { join } from 'node:path';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineProject } from 'vitest/config';

const here = (path: string) => join(import.meta.dirname, path);

export default defineProject({
  root: here('.'),
  plugins: [
    cloudflareTest(async () => ({
      main: here('test/workerd/auth-worker.ts'),
      wrangler: { configPath: here('wrangler.jsonc') },
      miniflare: {
        bindings: {
          FILEPATH_TOKEN: 'owner-token-for-tests',
          FILEPATH_RUNNER_TOKEN: 'runner-token-for-tests',
          FILEPATH_SECRET: 'cookie-secret-for-tests-0123456789abcdef',
          FILEPATH_ORIGINS: 'http://localhost:4280,https://agents.example',
          TEST_MIGRATIONS: await readD1Migrations(here('migrations')),
        },
      },
    })),
  ],
  test: {
    name: 'worker:workerd',
    include: ['test/workerd/**/*.test.ts'],
    setupFiles: [here('test/workerd/setup.ts')],
  },
});
