import { DurableObject } from 'cloudflare:workers';
import { FilepathError } from '@filepath/protocol';
import { authRoutes } from '../../src/auth/routes.ts';
import { buildApp } from '../../src/http/app.ts';
import { defineRoute, json, type Route } from '../../src/http/route.ts';
import { systemRoutes } from '../../src/http/system-routes.ts';

/** The classes that the configuration names. ThreadObject throws across the boundary; the others are empty. */
export class ThreadObject extends DurableObject {
  fail(): void {
    throw new FilepathError('cap_reached', 'Too many nodes.', { cap: 7 });
  }
}
export class SessionObject extends DurableObject {}
export class UserObject extends DurableObject {}
export class RunnerObject extends DurableObject {}

const whoAmI = defineRoute(
  { method: 'GET', path: '/api/me', summary: 'Who asks.', access: 'user', responses: {} },
  ({ userId }) => json({ userId }),
);

const fail = defineRoute(
  {
    method: 'GET',
    path: '/api/fail',
    summary: 'Fails in an object.',
    access: 'user',
    responses: {},
  },
  async ({ env }) => {
    const stub = env.THREAD.getByName('x') as unknown as { fail(): Promise<void> };
    await stub.fail();
    return json({});
  },
);

const socket = defineRoute(
  { method: 'GET', path: '/link/echo', summary: 'A socket.', access: 'runner', responses: {} },
  () => {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener('message', (event) => server.send(event.data));
    return new Response(null, { status: 101, webSocket: client });
  },
);

const routes: Route[] = [
  ...systemRoutes({ agents: async () => ({ available: true }), routes: () => routes }),
  ...authRoutes,
  whoAmI,
  fail,
  socket,
];

export default { fetch: buildApp(routes).fetch };
