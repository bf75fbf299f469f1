import { listDurableObjectIds } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { NO_BUDGET, type Node, type Session } from '@filepath/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/routes/index.ts';
import { call, custom, newAgent, ORIGIN, OWNER, RUNNER, treeOf } from './support/api.ts';
import { signInAs } from './support/users.ts';

type Headers = Record<string, string>;

/** In the form of an agent's. No session has given such a key. */
const AGENT = {
  'x-filepath-runner-token': 'runner-token-for-tests',
  'x-filepath-session': `ses_${'a'.repeat(22)}`,
  'x-filepath-thread': `th_${'a'.repeat(22)}`,
  authorization: `Bearer fpk_ses_${'a'.repeat(22)}_th_${'a'.repeat(22)}_${'0'.repeat(48)}`,
};

const table = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const guarded = table.filter(([, route]) => route.access !== 'open');
const withIds = guarded.filter(([, { path, access }]) => path.includes(':') && access === 'user');

let session: Session;
let node: Node;
let stranger: Headers;

beforeAll(async () => {
  ({ session, node } = await newAgent());
  stranger = await signInAs('stranger');
});

/** Headers that open a route, as far as nothing but the address is wrong. */
const credentialsOf = ({ access }: Route): Headers =>
  access === 'runner' ? RUNNER : access === 'agent' ? AGENT : OWNER;

/** The route's path with the owner's ids. A parameter that is not known here fails the test of a new route. */
function pathOf(route: Route): string {
  const ids: Record<string, string> = {
    id: route.path.startsWith('/api/session') ? session.id : node.id,
    nodeId: node.id,
    threadId: node.id,
    runnerId: 'rn_local',
    sha256: 'a'.repeat(64),
    decisionId: 'd1',
    snapshotId: `snap_${'a'.repeat(22)}`,
    providerId: 'anthropic',
  };
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`give the access test an id for :${name}`);
    return id;
  });
}

const send = (route: Route, headers: Headers) =>
  call(pathOf(route), { method: route.method, headers });

/** The same with a body that the route may take, so that nothing but access can refuse it. */
function sendBody(route: Route, headers: Headers): Promise<Response> {
  const bodies = [
    {},
    { name: 'x' },
    { action: 'stop' },
    { content: 'x' },
    { choice: 'x' },
    custom,
    { budget: NO_BUDGET },
  ];
  const body = bodies.find((one) => route.body?.safeParse(one).success);
  return call(pathOf(route), { method: route.method, headers, body });
}

/** Whose credentials do not open a route, where it is not a user's. */
const OTHERS: Partial<Record<Route['access'], (stranger: Headers) => Headers[]>> = {
  runner: (stranger) => [OWNER, stranger, AGENT],
  agent: (stranger) => [
    OWNER,
    stranger,
    RUNNER,
    { authorization: AGENT.authorization },
    { ...AGENT, 'x-filepath-runner-token': 'owner-token-for-tests' },
    { ...AGENT, 'x-filepath-session': `ses_${'b'.repeat(22)}` },
    { ...AGENT, 'x-filepath-thread': `th_${'b'.repeat(22)}` },
    { ...AGENT, authorization: RUNNER.authorization },
  ],
};

const upgrade = { upgrade: 'websocket' };

/** The ways in which a route can be asked: plainly, and where it is read, as a feed. */
const waysOf = (route: Route): Headers[] =>
  route.method === 'GET' ? [{}, upgrade, { accept: 'text/event-stream' }] : [{}];

describe('[SEC1] without a token', () => {
  it.each(guarded)('%s is 401', async (_, route) => {
    for (const way of waysOf(route)) expect((await send(route, way)).status).toBe(401);
    expect((await send(route, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await send(route, { cookie: 'filepath-4280.session_token=x.y' })).status).toBe(401);
  });

  it('opens health, the sign-in link and static files only', async () => {
    const open = table.filter(([, route]) => route.access === 'open').map(([name]) => name);
    expect(open.toSorted()).toEqual(['GET /api/auth/sign-in/link', 'GET /api/health']);
    expect((await call('/api/health')).status).toBe(200);
    expect((await call('/')).status).toBe(200);
  });

  it('says nothing about paths that do not exist', async () => {
    for (const path of [
      '/api',
      '/api/nothing',
      '/api/session/x/y/z',
      '/link',
      '/link/x',
      '/wsi/x',
    ]) {
      expect((await call(path)).status).toBe(404);
    }
  });
});

describe('[SEC3] with a foreign Origin', () => {
  it.each(table)('%s is 403', async (_, route) => {
    const headers = {
      ...credentialsOf(route),
      origin: 'https://evil.test',
    };
    for (const way of waysOf(route)) {
      expect((await send(route, { ...headers, ...way })).status).toBe(403);
    }
  });

  it.each(['null', 'http://localhost:4281', 'http://localhost', 'https://localhost:4280'])(
    'that is %j the API is 403',
    async (origin) => {
      expect((await call('/api/session', { headers: { ...OWNER, origin } })).status).toBe(403);
    },
  );

  it.each(['/', '/session/x', '/favicon.svg', '/_app/env.js', '/nothing', '/api/nothing'])(
    'static %s is 403',
    async (path) => {
      expect((await call(path, { headers: { origin: 'https://evil.test' } })).status).toBe(403);
    },
  );
});

describe('[SEC2] with a foreign Host', () => {
  it.each(table)('%s is 421', async (_, route) => {
    const headers = credentialsOf(route);
    for (const way of waysOf(route)) {
      expect((await send(route, { ...headers, ...way, host: 'evil.test' })).status).toBe(421);
    }
    const url = `${ORIGIN.replace('localhost', 'evil.test')}${pathOf(route)}`;
    const rebound = new Request(url, { method: route.method, headers });
    expect((await exports.default.fetch(rebound)).status).toBe(421);
  });

  it.each(['/', '/session/x', '/favicon.svg', '/api/nothing'])('static %s is 421', async (path) => {
    expect((await call(path, { headers: { host: 'evil.test' } })).status).toBe(421);
  });
});

describe('[SEC4] another user', () => {
  it.each(withIds)('%s is 404', async (_, route) => {
    for (const way of waysOf(route)) {
      expect((await sendBody(route, { ...stranger, ...way })).status).toBe(404);
    }
  });

  it('is not told of the owner’s sessions, and has changed none', async () => {
    const list = await (await call('/api/session', { headers: stranger })).json();
    expect(list).toEqual({ sessions: [] });
    expect(await (await call('/api/attention', { headers: stranger })).json()).toEqual({
      items: [],
    });
    const tree = await treeOf(session.id);
    expect(tree.nodes.map((one) => [one.id, one.name])).toEqual([[node.id, node.name]]);
    expect(tree.session.name).toBe(session.name);
  });

  it('is no owner', async () => {
    const response = await call('/api/auth/link', { method: 'POST', headers: stranger });
    expect(response.status).toBe(401);
  });
});

describe('[SEC5] runners and users', () => {
  it.each(guarded)('%s refuses the other’s token', async (_, route) => {
    const others = OTHERS[route.access]?.(stranger) ?? [RUNNER, AGENT];
    for (const headers of others) {
      for (const way of waysOf(route)) {
        expect((await send(route, { ...headers, ...way })).status).toBe(401);
      }
    }
  });

  it('keeps one runner from the place of another', async () => {
    const headers = { ...RUNNER, ...upgrade };
    expect((await call('/link/runner/rn_other', { headers })).status).toBe(404);
  });
});

describe('[SEC8] the router', () => {
  it('answers another method with 405 and the methods there are', async () => {
    for (const path of new Set(routes.map((route) => route.path))) {
      const methods = routes.filter((route) => route.path === path).map((route) => route.method);
      const [route] = routes.filter((one) => one.path === path);
      if (!route) continue;
      const response = await call(pathOf(route), { method: 'OPTIONS', headers: OWNER });
      expect([response.status, response.headers.get('allow')]).toEqual([405, methods.join(', ')]);
    }
  });

  it('[T25] leads to no object by its class or binding', async () => {
    const before = await listDurableObjectIds(env.SESSION);
    for (const path of ['session-object/x', `session/${session.id}`, 'SESSION/x', 'thread/x']) {
      const response = await call(`/agents/${path}`, { headers: { ...OWNER, ...upgrade } });
      expect(response.webSocket).toBeNull();
      const page = response.headers.get('content-type')?.startsWith('text/html') ?? false;
      expect(response.status === 404 || page).toBe(true);
    }
    expect(await listDurableObjectIds(env.SESSION)).toHaveLength(before.length);
  });
});
