import type { Env } from './env.ts';
import { buildFetch } from './http/app.ts';
import { routes } from './routes/index.ts';

export { Housekeeping } from './housekeeping.ts';
export { Chat } from './liteclaw/chat.ts';
export { ChatTunnels } from './liteclaw/executors/chat-tunnels.ts';
export { ChatDatabase } from './liteclaw/tools/chat-database.ts';
export { RunnerObject } from './runner/runner-object.ts';
export { SessionObject } from './session/session-object.ts';
export { ThreadObject } from './thread/thread-object.ts';
export { UserObject } from './user/user-object.ts';

export default { fetch: buildFetch(routes) } satisfies ExportedHandler<Env>;
