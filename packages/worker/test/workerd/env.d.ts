import type { D1Migration } from 'cloudflare:test';
import type { Env } from '../../src/env.ts';

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof import('./auth-worker.ts');
    }
    interface Env extends WorkerEnv {
      readonly TEST_MIGRATIONS?: D1Migration[];
    }
  }
}

type WorkerEnv = Env;
