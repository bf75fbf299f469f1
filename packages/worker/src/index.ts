import type { Env } from './env.ts';
import { buildApp } from './http/app.ts';
import { routes } from './routes/index.ts';

export { RunnerObject } from './runner/runner-object.ts';
export { SessionObject } from './session/session-object.ts';
export { ThreadObject } from './thread/thread-object.ts';
export { UserObject } from './user/user-object.ts';

const app = buildApp(routes);

export default { fetch: app.fetch } satisfies ExportedHandler<Env>;
