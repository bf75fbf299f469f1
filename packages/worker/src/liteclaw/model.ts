import { modelFor } from '@filepath/loop';
import { formatFor, type ThreadId } from '@filepath/protocol';
import { LOCAL_RUNNER } from '../auth/authenticate.ts';
import type { Env } from '../env.ts';
import type { Ledger } from '../gateway/contract.ts';
import { gatewayOver } from '../gateway/gateway-for.ts';
import type { Background } from '../gateway/memory.ts';
import { defaultModels } from '../gateway/models/list-models.ts';
import type { Dialect } from '../gateway/operation.ts';
import { passThrough } from '../gateway/pass-through.ts';
import { aheadOf } from '../gateway/standing.ts';
import type { LiteclawSettings } from './settings.ts';
import { workersAiGateway, workersModel } from './workers-ai.ts';

/** Fast and cheap; where it cannot be had, whatever the instance can reach. */
const USUAL = { defaultModel: 'anthropic/claude-haiku-4.5', metered: true } as const;

const encoder = new TextEncoder();

type Model = ReturnType<typeof modelFor>;

type Deps = {
  readonly env: Env;
  readonly background: Background;
  readonly ledger: Ledger;
  readonly owner: string;
  readonly chat: ThreadId;
};

/** The model of a chat, asked through the gateway of this worker without leaving it. Workers AI answers where it is bound. */
export async function chatModel(deps: Deps, { model: pinned }: LiteclawSettings): Promise<Model> {
  const { env, background, ledger, owner, chat } = deps;
  const own = env.AI ? workersModel(pinned) : null;
  const model = own ?? pinned ?? (await defaultModels(env, owner))(USUAL);
  const providers = gatewayOver(env, ledger, background, owner);
  // Workers AI cannot be told to break off: it is asked when the call is reserved.
  const gateway =
    env.AI && own
      ? { ...providers, ...workersAiGateway(env.AI) }
      : { ...providers, ahead: () => aheadOf(chat, '') };
  // A chat has no key: its ledger is its own.
  const caller = { runner: LOCAL_RUNNER, thread: chat, key: '' };
  return modelFor({
    baseUrl: 'http://gateway.invalid',
    apiKey: 'none',
    model,
    format: formatFor(model),
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      // Without it the gateway keeps room for the largest body there may be, and has room for few of them.
      if (typeof init?.body === 'string')
        headers.set('content-length', String(encoder.encode(init.body).length));
      const request = new Request(input, { ...init, headers });
      return passThrough(gateway, caller, targetOf(request.url), request);
    },
  });
}

function targetOf(url: string): { dialect: Dialect; path: string } {
  const { pathname } = new URL(url);
  const dialect = pathname.startsWith('/anthropic/') ? 'anthropic' : 'openai';
  return { dialect, path: pathname.slice(dialect.length + 1) };
}
