import { NO_BUDGET, type Node, type Session } from '@filepath/protocol';
import { beforeAll } from 'vitest';
import type { Route } from '../../../src/http/route.ts';
import { routes } from '../../../src/routes/index.ts';
import { call, custom, newAgent, OWNER, RUNNER } from './api.ts';
import { signInAs } from './users.ts';

export type Headers = Record<string, string>;

/** In the form of an agent's. No session has given such a key. */
export const AGENT = {
  'x-filepath-runner-token': 'runner-token-for-tests',
  'x-filepath-session': `ses_${'a'.repeat(22)}`,
  'x-filepath-thread': `th_${'a'.repeat(22)}`,
  authorization: `Bearer fpk_ses_${'a'.repeat(22)}_th_${'a'.repeat(22)}_${'0'.repeat(48)}`,
};

/** In the form of a tunnel's token. No chat has given such a one. */
const TUNNEL = {
  authorization: `Bearer fpn_${'a'.repeat(22)}_${'a'.repeat(22)}_${'a'.repeat(43)}_${'a'.repeat(43)}`,
};

export const table = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
export const guarded = table.filter(([, route]) => route.access !== 'open');
export const withIds = guarded.filter(
  ([, { path, access }]) => path.includes(':') && (access === 'user' || access === 'person'),
);

export type Scene = { session: Session; node: Node; stranger: Headers };

let scene: Scene | undefined;

/** An agent of the owner's, and somebody else. */
export function theScene(): Scene {
  if (scene === undefined) throw new Error('the scene is not set');
  return scene;
}

export function setScene(): void {
  beforeAll(async () => {
    const { session, node } = await newAgent();
    scene = { session, node, stranger: await signInAs('stranger') };
  });
}

/** Headers that open a route, as far as nothing but the address is wrong. */
export const credentialsOf = ({ access }: Route): Headers =>
  access === 'runner' ? RUNNER : access === 'agent' ? AGENT : OWNER;

/** The route's path with the owner's ids. A parameter that is not known here fails the test of a new route. */
export function pathOf(route: Route): string {
  const { session, node } = theScene();
  const ids: Record<string, string> = {
    id: route.path.startsWith('/api/session') ? session.id : node.id,
    nodeId: node.id,
    threadId: node.id,
    runnerId: 'rn_local',
    sha256: 'a'.repeat(64),
    decisionId: 'd1',
    messageId: `msg_${'a'.repeat(22)}`,
    snapshotId: `snap_${'a'.repeat(22)}`,
    providerId: 'anthropic',
    memoryId: `mem_${'a'.repeat(22)}`,
    itemId: 'a'.repeat(32),
    deviceId: 'a'.repeat(32),
    tokenId: `tok_${'a'.repeat(22)}`,
    tunnelId: `tun_${'a'.repeat(22)}`,
    passkeyId: `pk_${'a'.repeat(22)}`,
    ruleId: '00000000-0000-4000-8000-000000000000',
    handed: '00000000-0000-4000-8000-000000000000',
  };
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`give the access test an id for :${name}`);
    return id;
  });
}

export const send = (route: Route, headers: Headers) =>
  call(pathOf(route), { method: route.method, headers });

/** The same with a body that the route may take, so that nothing but access can refuse it. */
export function sendBody(route: Route, headers: Headers): Promise<Response> {
  const bodies = [
    {},
    { name: 'x' },
    { action: 'stop' },
    { action: 'disconnect' },
    { content: 'x' },
    { choice: 'x' },
    custom,
    { budget: NO_BUDGET },
  ];
  const body = bodies.find((one) => route.body?.safeParse(one).success);
  return call(pathOf(route), { method: route.method, headers, body });
}

/** Whose credentials do not open a route, where it is not a user's. */
export const OTHERS: Partial<Record<Route['access'], (stranger: Headers) => Headers[]>> = {
  runner: (stranger) => [OWNER, stranger, AGENT],
  tunnel: (stranger) => [OWNER, stranger, RUNNER, AGENT, TUNNEL],
  operator: (stranger) => [
    OWNER,
    stranger,
    RUNNER,
    AGENT,
    { 'x-liteclaw-admin-secret': '' },
    { 'x-liteclaw-admin-secret': 'wrong' },
  ],
  'operator-person': (stranger) => [
    OWNER,
    stranger,
    RUNNER,
    AGENT,
    { 'x-liteclaw-admin-secret': 'wrong' },
    { ...OWNER, 'x-liteclaw-admin-secret': '' },
    { ...OWNER, 'x-liteclaw-admin-secret': 'wrong' },
  ],
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

export const upgrade = { upgrade: 'websocket' };

/** The ways in which a route can be asked: plainly, and where it is read, as a feed. */
export const waysOf = (route: Route): Headers[] =>
  route.method === 'GET' ? [{}, upgrade, { accept: 'text/event-stream' }] : [{}];
