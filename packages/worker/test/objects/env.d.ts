import type { D1Migration } from 'cloudflare:test';
import type { Env } from '../../src/env.ts';

declare module '*?raw' {
  const text: string;
  export default text;
}

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof import('../../src/index.ts');
    }
    interface Env extends WorkerEnv {
      readonly TEST_MIGRATIONS: D1Migration[];
    }
  }
}

type WorkerEnv = Env;
