import { OWNER_ID } from '../../auth/sign-in-link.ts';
import type { Env } from '../../env.ts';
import { LOCAL_RUNNER } from '../../runner/local-runner.ts';
import type { Sql } from '../../storage/sql.ts';
import { containerExecutor } from '../executors/container-executor.ts';
import { executed } from '../executors/executor.ts';
import { tunnelExecutor } from '../executors/tunnel-executor.ts';
import { d1Query } from './d1-query.ts';
import { httpFetch, type Web } from './http-fetch.ts';
import { Stored } from './stored.ts';
import { storeTools } from './stores.ts';
import type { ClawTool } from './tool.ts';
import type { Workspace } from './workspace.ts';
import { bashTool, workspaceTools } from './workspace-tools.ts';

type Deps = {
  readonly env: Env;
  readonly sql: Sql;
  readonly chat: string;
  readonly workspace: Workspace;
  readonly owner: () => string;
};

/** Everything that a chat can be let do. */
export function allTools({ env, sql, chat, workspace, owner }: Deps): ClawTool[] {
  const { BLOBS: blobs, CACHE: values, ChatDatabase, ChatTunnels } = env;
  // The runner beside the engine is the owner's; there is no other.
  const runner = () => (owner() === OWNER_ID ? env.RUNNER.getByName(LOCAL_RUNNER) : null);
  const others = {
    container: containerExecutor({ chat, workspace, runner }),
    tunnel: tunnelExecutor(() => ChatTunnels.getByName(chat)),
  };
  return [
    webTool(env),
    ...storeTools({ chat, blobs, values, stored: new Stored(sql) }),
    d1Query(() => ChatDatabase.getByName(chat)),
    ...[...workspaceTools(workspace), bashTool].map((tool) => executed(tool, others)),
  ];
}

export const webTool = (env: Env): ClawTool => httpFetch(webOf(env));

/** In Cloudflare's network a fetch reaches public addresses only; here that is the work of the engine's own services. */
function webOf({ NETWORK, WEB, WEB_INSIDE, FILEPATH_EGRESS_PRIVATE: permitted }: Env): Web {
  const through = (service: Fetcher) => (url: string, init: RequestInit) =>
    service.fetch(url, init);
  const inside = WEB_INSIDE ? through(WEB_INSIDE) : null;
  if (WEB) return { open: through(WEB), inside, permitted };
  const closed = () => Promise.reject(new Error('there is no way to the web'));
  return { open: NETWORK ? closed : (url, init) => fetch(url, init), inside, permitted };
}
