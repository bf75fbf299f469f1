import type { Chat } from './liteclaw/chat.ts';
import type { ExtensionEnv } from './liteclaw/extensions/settings.ts';
import type { LiteclawEnv } from './liteclaw/settings.ts';
import type { ChatTunnels } from './liteclaw/executors/chat-tunnels.ts';
import type { ChatDatabase } from './liteclaw/tools/chat-database.ts';
import type { ToolEnv } from './liteclaw/tools/settings.ts';
import type { WorkersAi } from './liteclaw/workers-ai.ts';
import type { RunnerObject } from './runner/runner-object.ts';
import type { CapsEnv } from './session/caps.ts';
import type { SessionObject } from './session/session-object.ts';
import type { ThreadObject } from './thread/thread-object.ts';
import type { UserObject } from './user/user-object.ts';

/** Model keys of the owner. They are used by the gateway and never leave the worker. */
export type ProviderEnv = {
  readonly OPENROUTER_API_KEY?: string;
  readonly OPENROUTER_BASE_URL?: string;
  readonly ANTHROPIC_API_KEY?: string;
  readonly ANTHROPIC_BASE_URL?: string;
  readonly OPENAI_API_KEY?: string;
  readonly OPENAI_BASE_URL?: string;
  /** Of Cloudflare's AI Gateway. */
  readonly CF_AIG_TOKEN?: string;
  readonly CF_AIG_BASE_URL?: string;
};

/** What one instance is given: the bindings of `wrangler.jsonc` and the values that `design/contracts.md` names. */
export type Env = ProviderEnv &
  CapsEnv &
  LiteclawEnv &
  ExtensionEnv &
  ToolEnv & {
    readonly THREAD: DurableObjectNamespace<ThreadObject>;
    readonly SESSION: DurableObjectNamespace<SessionObject>;
    readonly USER: DurableObjectNamespace<UserObject>;
    readonly RUNNER: DurableObjectNamespace<RunnerObject>;
    readonly Chat: DurableObjectNamespace<Chat>;
    readonly ChatDatabase: DurableObjectNamespace<ChatDatabase>;
    readonly ChatTunnels: DurableObjectNamespace<ChatTunnels>;
    readonly DB: D1Database;
    readonly BLOBS: R2Bucket;
    readonly CACHE: KVNamespace;
    readonly ASSETS: Fetcher;
    /** Workers AI, where the operator binds it. */
    readonly AI?: WorkersAi;
    /** The shortest way out, where the engine is ours. */
    readonly NETWORK?: Fetcher;
    /** The web for tools of chats, where the engine is ours: public addresses only. */
    readonly WEB?: Fetcher;
    /** The same with private addresses, for hosts that the operator permits. */
    readonly WEB_INSIDE?: Fetcher;

    /** Where code of extensions runs, where the engine is ours. */
    readonly EXTENSIONS?: Fetcher;
    /** The same where the platform has isolates to give. */
    readonly LOADER?: WorkerLoader;

    /** The owner's bearer token. */
    readonly FILEPATH_TOKEN: string;
    /** The bearer token of the runner `rn_local`. */
    readonly FILEPATH_RUNNER_TOKEN: string;
    /** Signs the cookies; the keys of providers are encrypted under a key made from it. */
    readonly FILEPATH_SECRET: string;
    /** Comma-separated origins that may be asked for; their hosts are the Host allowlist. */
    readonly FILEPATH_ORIGINS: string;
  };
