import { configDefaults, defineConfig } from 'vitest/config';

type Options = {
  readonly timeoutMs?: number;
  readonly oneFileAtATime?: boolean;
  readonly leftOut?: string;
  readonly globalSetup?: string;
};

/** Tests in Node, in processes of their own, since many of them start and kill others. */
function inNode(name: string, include: string, options: Options = {}) {
  const { timeoutMs = 60_000, oneFileAtATime = false, leftOut, globalSetup } = options;
  return {
    test: {
      name,
      include: [include],
      exclude: [...configDefaults.exclude, '**/fixture/**', ...(leftOut ? [leftOut] : [])],
      ...(globalSetup ? { globalSetup } : {}),
      environment: 'node',
      pool: 'forks' as const,
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
      // As long as a test may take: what is waited for comes or the test fails.
      expect: { poll: { timeout: timeoutMs } },
      fileParallelism: !oneFileAtATime,
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    passWithNoTests: false,
    // Storage of containers is taken away after its tests.
    teardownTimeout: 120_000,
    projects: [
      inNode('protocol', 'packages/protocol/test/**/*.test.ts', { timeoutMs: 60_000 }),
      inNode('client', 'packages/client/test/**/*.test.ts'),
      inNode('web', 'packages/web/test/**/*.test.ts'),
      inNode('testkit', 'packages/testkit/test/**/*.test.ts'),
      inNode('cli', 'packages/cli/test/**/*.test.ts'),
      inNode('scripts', 'scripts/test/**/*.test.ts', { timeoutMs: 120_000 }),
      inNode('worker', 'packages/worker/test/unit/**/*.test.ts'),
      inNode('runner', 'packages/runner/test/**/*.test.ts', {
        timeoutMs: 120_000,
        leftOut: 'packages/runner/test/containers/**',
      }),
      inNode('containers', 'packages/runner/test/{containers,hostile}/**/*.test.ts', {
        timeoutMs: 240_000,
        oneFileAtATime: true,
        globalSetup: 'packages/runner/test/containers/engine.ts',
      }),
      inNode('loop', 'packages/loop/test/**/*.test.ts'),
      inNode('agents', 'packages/agents/test/**/*.test.ts', {
        timeoutMs: 120_000,
        leftOut: 'packages/agents/test/clis/**',
      }),
      inNode('clis', 'packages/agents/test/clis/**/*.test.ts', {
        timeoutMs: 300_000,
        oneFileAtATime: true,
      }),
      inNode('gateway', 'packages/worker/test/gateway/**/*.test.ts', { oneFileAtATime: true }),
      inNode('engine', 'packages/worker/test/engine/**/*.test.ts', { oneFileAtATime: true }),
      'packages/worker/vitest.workerd.config.ts',
      'packages/worker/vitest.objects.config.ts',
      inNode('integration', 'integration/**/*.test.ts', {
        timeoutMs: 120_000,
        oneFileAtATime: true,
      }),
      inNode('gates', 'gates/**/*.test.ts', { timeoutMs: 120_000, oneFileAtATime: true }),
      inNode('browser', 'e2e/**/*.test.ts', { timeoutMs: 180_000, oneFileAtATime: true }),
      inNode('faults', 'faults/**/*.test.ts', { timeoutMs: 600_000, oneFileAtATime: true }),
    ],
  },
});
