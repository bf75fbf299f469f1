import { authRoutes } from '../auth/routes.ts';
import { gatewayFor } from '../gateway/gateway-for.ts';
import { gatewayRoutes } from '../gateway/routes.ts';
import type { Route } from '../http/route.ts';
import { systemRoutes } from '../http/system-routes.ts';
import { agentsAvailable } from '../runner/availability.ts';
import { agentMemoryRoutes } from './agent-memory-routes.ts';
import { agentRoutes } from './agent-routes.ts';
import { attentionRoutes } from './attention-routes.ts';
import { bringRoutes } from './bring-routes.ts';
import { budgetRoutes } from './budget-routes.ts';
import { catalogRoute } from './catalog-route.ts';
import { chatFileRoutes } from './chat-file-routes.ts';
import { chatRoutes } from './chat-routes.ts';
import { deviceRoutes } from './device-routes.ts';
import { extensionRoutes } from './extension-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { liteclawRoutes } from './liteclaw-routes.ts';
import { memoryRoutes } from './memory-routes.ts';
import { modelRoute } from './model-route.ts';
import { nodeRoutes } from './node-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { providerRoutes } from './provider-routes.ts';
import { queueRoutes } from './queue-routes.ts';
import { repositoryRoute } from './repository-route.ts';
import { runnerRoutes } from './runner-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { snapshotRoutes } from './snapshot-routes.ts';
import { threadRoutes } from './thread-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { tunnelRoutes } from './tunnel-routes.ts';

/** Every route there is: the router, the API description and the access test read this table. */
export const routes: readonly Route[] = [
  ...systemRoutes({ agents: agentsAvailable, routes: () => routes }),
  ...authRoutes,
  ...deviceRoutes,
  ...tokenRoutes,
  ...passkeyRoutes,
  ...runnerRoutes,
  ...sessionRoutes,
  repositoryRoute,
  ...nodeRoutes,
  ...threadRoutes,
  ...queueRoutes,
  ...fileRoutes,
  ...budgetRoutes,
  ...jobRoutes,
  ...bringRoutes,
  ...snapshotRoutes,
  ...attentionRoutes,
  ...memoryRoutes,
  ...providerRoutes,
  modelRoute,
  catalogRoute,
  ...agentRoutes,
  ...agentMemoryRoutes,
  ...liteclawRoutes,
  ...tunnelRoutes,
  ...chatRoutes,
  ...chatFileRoutes,
  ...extensionRoutes,
  ...linkRoutes,
  ...gatewayRoutes(gatewayFor),
];
