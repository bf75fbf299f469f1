import {
  Api,
  type Instance,
  type ModelServer,
  startInstance,
  startModelServer,
} from '@filepath/testkit';
import { spawn } from './chat-support.ts';

const KEY = 'key-of-a-provider-0123456789';

/** An instance with a LiteClaw that asks a scripted model. */
export type ChatInstance = AsyncDisposable & {
  readonly server: ModelServer;
  readonly instance: Instance;
  readonly api: Api;
  readonly id: string;
};

/** `more`: of the address of the model. */
export async function startChatInstance(
  env: Record<string, string> = {},
  more: (url: string) => Record<string, string> = () => ({}),
): Promise<ChatInstance> {
  await using stack = new AsyncDisposableStack();
  const server = await startModelServer({ script: [], keys: [KEY] });
  stack.defer(() => server.close());
  const instance = stack.use(
    await startInstance({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: server.url,
      OPENROUTER_BASE_URL: `${server.url}/api/v1`,
      LITECLAW_MODEL: 'anthropic/claude-haiku-4.5',
      ...more(server.url),
      ...env,
    }),
  );
  const api = new Api(instance);
  const { id } = await spawn(api);
  if (id === null) throw new Error('the chat was not spawned');
  const owned = stack.move();
  return { server, instance, api, id, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
