import type { Env } from '../../src/env.ts';

/** An environment for code that reads values and touches no binding: a binding that is used throws. */
export function testEnv(values: Partial<Env> = {}): Env {
  const env: Partial<Env> = {
    FILEPATH_TOKEN: 'owner-token-for-tests',
    FILEPATH_RUNNER_TOKEN: 'runner-token-for-tests',
    FILEPATH_SECRET: 'cookie-secret-for-tests-0123456789abcdef',
    FILEPATH_ORIGINS: 'http://127.0.0.1:4280,http://localhost:4280',
    ...values,
  };
  return env as Env;
}

export const testContext = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;
