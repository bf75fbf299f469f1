import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir } from '@filepath/testkit';
import { build, type Plugin } from 'esbuild';
import { Miniflare } from 'miniflare';
import { network } from '../../packages/worker/engine/network.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A chat as the Agents SDK has it in its own examples. */
const BARE = `import { AIChatAgent } from '@cloudflare/ai-chat';
import { createAnthropic } from '@ai-sdk/anthropic';
import { convertToModelMessages, streamText } from 'ai';
import { routeAgentRequest } from 'agents';

export class Chat extends AIChatAgent {
  waitForMcpConnections = false;

  async onChatMessage(_onFinish, options) {
    const provider = createAnthropic({
      apiKey: this.env.KEY,
      baseURL: \`\${this.env.UPSTREAM}/v1\`,
      fetch: (input, init) => this.env.NETWORK.fetch(input, init),
    });
    const result = streamText({
      model: provider('claude-haiku-4-5'),
      system: 'You are a helpful assistant.',
      messages: await convertToModelMessages(this.messages),
      abortSignal: options?.abortSignal,
    });
    return result.toUIMessageStreamResponse();
  }
}

export default {
  fetch: async (request, { Chat: chat }) =>
    (await routeAgentRequest(request, { Chat: chat })) ?? new Response(null, { status: 404 }),
};
`;

export type BareChat = { readonly port: number; stop(): Promise<void> };

/** The SDK's own chat in workerd, bundled as our worker is, with the same network, and its objects on disk. */
export async function bareChat(upstream: string, key: string): Promise<BareChat> {
  const dir = tempDir('filepath-bare-chat');
  const outdir = join(dir.path, 'worker');
  const result = await build({
    stdin: { contents: BARE, resolveDir: ROOT, loader: 'js' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    nodePaths: [join(ROOT, 'packages/worker/node_modules')],
    plugins: [prefixNodeBuiltins],
    metafile: true,
    logLevel: 'error',
    absWorkingDir: ROOT,
  });
  const files = Object.keys(result.metafile.outputs).map((path) =>
    relative(outdir, join(ROOT, path)),
  );
  const paths = ['stdin.js', ...files.filter((file) => file !== 'stdin.js').toSorted()];
  const miniflare = new Miniflare({
    workers: [
      {
        name: 'bare',
        modulesRoot: outdir,
        modules: paths.map((path) => ({ type: 'ESModule' as const, path: join(outdir, path) })),
        compatibilityDate: '2026-07-30',
        compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
        bindings: { UPSTREAM: upstream, KEY: key },
        serviceBindings: { NETWORK: network() },
        durableObjects: { Chat: { className: 'Chat', useSQLite: true } },
        unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      },
    ],
    durableObjectsPersist: join(dir.path, 'objects'),
  });
  await miniflare.ready;
  const { port } = await miniflare.unsafeGetDirectURL('bare');
  return {
    port: Number(port),
    stop: async () => {
      await miniflare.dispose();
      dir.remove();
    },
  };
}

const prefixNodeBuiltins: Plugin = {
  name: 'prefix-node-builtins',
  setup: (made) => {
    const bare = builtinModules.filter((name) => !name.startsWith('_'));
    made.onResolve({ filter: new RegExp(`^(${bare.join('|')})$`) }, ({ path }) => ({
      path: `node:${path}`,
      external: true,
    }));
  },
};
