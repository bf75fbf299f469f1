import { authRoutes } from './auth/routes.ts';
import { buildApp } from './http/app.ts';
import type { Route } from './http/route.ts';
import { systemRoutes } from './http/system-routes.ts';
import { attentionRoute } from './routes/attention-route.ts';
import { linkRoutes } from './routes/link-routes.ts';
import { nodeRoutes } from './routes/node-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { threadRoutes } from './routes/thread-routes.ts';
import { agentsAvailable } from './runner/availability.ts';

export { RunnerObject } from './runner/runner-object.ts';
export { SessionObject } from './session/session-object.ts';
export { ThreadObject } from './thread/thread-object.ts';
export { UserObject } from './user/user-object.ts';

const routes: Route[] = [
  ...systemRoutes({ agents: agentsAvailable, routes: () => routes }),
  ...authRoutes,
  ...sessionRoutes,
  ...nodeRoutes,
  ...threadRoutes,
  attentionRoute,
  ...linkRoutes,
];

const app = buildApp(routes);

export default { fetch: app.fetch } satisfies ExportedHandler<import('./env.ts').Env>;
