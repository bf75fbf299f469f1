/** What may import what: see AGENTS.md. Dependencies point inward, to protocol. */
const packages = (names) => `^packages/(${names.join('|')})/`;

/** `from` may import nothing of the workspace but `allowed`. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^packages/', pathNot: [from, ...allowed] },
});

/** `from` may import no npm package but `allowed`. */
const onlyNpm = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: {
    path: '(^|/)node_modules/',
    pathNot: allowed.map((dependency) => `(^|/)node_modules/${dependency}/`),
  },
});

const noNode = (name, from, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { dependencyTypes: ['core'] },
});

module.exports = {
  forbidden: [
    only('protocol-imports-nothing-of-ours', '^packages/protocol/src/', []),
    onlyNpm('protocol-imports-zod-only', '^packages/protocol/src/', ['zod']),
    noNode('protocol-runs-anywhere', '^packages/protocol/src/'),
    only('client-imports-protocol', '^packages/client/src/', [packages(['protocol'])]),
    onlyNpm('client-imports-zod-only', '^packages/client/src/', ['zod']),
    noNode('client-runs-in-the-browser', '^packages/client/src/'),
    only('web-imports-client-and-protocol', '^packages/web/', [packages(['client', 'protocol'])]),
    noNode('web-runs-in-the-browser', '^packages/web/src/'),
    only('runner-imports-protocol', '^packages/runner/src/', [packages(['protocol'])]),
    onlyNpm('runner-imports-ws-and-zod', '^packages/runner/src/', ['ws', '@types/ws', 'zod']),
    only('loop-imports-protocol', '^packages/loop/src/', [packages(['protocol'])]),
    onlyNpm('loop-imports-the-ai-sdk-and-zod', '^packages/loop/src/', ['ai', '@ai-sdk', 'zod']),
    noNode('loop-runs-anywhere', '^packages/loop/src/'),
    only('agents-import-loop-and-protocol', '^packages/agents/src/', [
      packages(['loop', 'protocol']),
    ]),
    onlyNpm('agents-import-acp-and-zod', '^packages/agents/src/', [
      '@agentclientprotocol/sdk',
      'zod',
    ]),
    only('worker-imports-loop-and-protocol', '^packages/worker/src/', [
      packages(['loop', 'protocol']),
    ]),
    only('engine-imports-protocol', '^packages/worker/engine/', [packages(['protocol'])]),
    onlyNpm('engine-imports-miniflare-and-zod', '^packages/worker/engine/', ['miniflare', 'zod']),
    only('cli-imports-client-runner-and-engine', '^packages/cli/src/', [
      packages(['client', 'protocol', 'runner']),
      '^packages/worker/engine/index\\.ts$',
    ]),
    only('testkit-imports-client-and-protocol', '^packages/testkit/src/', [
      packages(['client', 'protocol']),
    ]),
    {
      name: 'packages-by-their-entry',
      comment: 'A package is imported by what its package.json exports, never by a path into it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/' },
      to: {
        path: '^packages/[^/]+/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/(src|engine|src/sky|src/chat)/index\\.ts$'],
      },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: ['(^|/)test/', '\\.test\\.ts$', '^(gates|e2e|integration|faults|bench)/'] },
      to: { path: ['(^|/)test/', '^packages/testkit/'], pathNot: '^packages/testkit/src/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      from: {},
      to: {
        couldNotResolve: true,
        pathNot: ['^cloudflare:', '^\\$app/', '^\\$lib', '^\\./\\$types'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/dist/', '/build/', '/\\.svelte-kit/', '/\\.wrangler/'] },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['workerd', 'svelte', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.svelte', '.json', '.d.ts'],
    },
    tsConfig: { fileName: 'tsconfig.base.json' },
  },
};
