import { createClient } from '@filepath/client';
import { Node, type Session } from '@filepath/protocol';
import { Api, type Instance } from '@filepath/testkit';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { z } from 'zod';
import { percentile, wallMs } from './statistics.ts';

/** The root, its branches, and what each of these has: no agent has more children than the default allows. */
const BRANCHES = 27;
const LEAVES = 36;
export const NODES = 1 + BRANCHES * (1 + LEAVES);
const CHANGES = 100;
/** workerd lets go of an object ten seconds after its last call; the engine then collects within half a minute of rest. */
const REST_MS = 60_000;

/** Says the time as its reason, again and again. */
const clock = (): string[] => [
  'perl',
  '-MTime::HiRes=time,sleep',
  '-e',
  `$| = 1; <STDIN>;
   for (1..${CHANGES}) { printf qq({"type":"status","state":"running","reason":"%.3f"}\\n), time * 1000; sleep 0.02; }
   print qq({"type":"done"}\\n);`,
];

export type TreeFigures = {
  /**
   * MiB of the engine: before them, when they were just made, at rest after that, and at rest with as many again. idle: at
   * rest, of one that was started with trees of idle threads and has shown them, beside one that has shown a tree of one.
   */
  readonly memory: {
    readonly before: number;
    readonly made: number;
    readonly rested: number;
    readonly again: number;
    readonly idle: { readonly without: number; readonly with: number };
  };
  /** The whole tree, in milliseconds: of one node, and of all of them. */
  readonly load: { readonly one: number; readonly all: number };
  /** From an agent's word to a client of the session's feed. */
  readonly change: { readonly one: number; readonly all: number };
};

/** A tree of one node and a tree of a thousand, whose threads are idle, beside each other. */
export async function tree(instance: Instance): Promise<TreeFigures> {
  const api = new Api(instance);
  const one = await api.agent(clock());
  const memory = (): number => memoryOf(instance.enginePid());
  const started = async (sessions: readonly string[]): Promise<number> => {
    await instance.stop();
    await instance.start();
    for (const session of sessions) await load(api, session);
    await delay(REST_MS);
    return memory();
  };
  const without = await started([one.session.id]);
  await changes(instance, api, one);
  const before = memory();
  const all = await grow(api, clock());
  const made = memory();
  const loaded = { one: await load(api, one.session.id), all: await load(api, all.session.id) };
  const change = {
    one: await changes(instance, api, one),
    all: await changes(instance, api, all),
  };
  await delay(REST_MS);
  const rested = memory();
  const more = await grow(api, clock());
  await delay(REST_MS);
  const again = memory();
  const idle = { without, with: await started([all.session.id, more.session.id]) };
  return { memory: { before, made, rested, again, idle }, load: loaded, change };
}

type Place = { session: Session; node: Node };

/** The last of the nodes, in the third level, is the one that speaks. */
export async function grow(api: Api, command: readonly string[]): Promise<Place> {
  const { session, node: root } = await api.agent(['true']);
  const add = async (parentId: string): Promise<Node> => {
    const create = { parentId, agentType: 'custom', config: { command } };
    const path = `/api/session/${session.id}/node`;
    return (await api.json(z.object({ node: Node }), 'POST', path, create)).node;
  };
  let node = root;
  for (let branch = 0; branch < BRANCHES; branch += 1) {
    const { id } = await add(root.id);
    for (let leaf = 0; leaf < LEAVES; leaf += 1) node = await add(id);
  }
  return { session, node };
}

async function load(api: Api, session: string): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const started = performance.now();
    await (await api.call('GET', `/api/session/${session}/tree`)).text();
    taken.push(performance.now() - started);
  }
  return percentile(taken, 50);
}

async function changes(instance: Instance, api: Api, { session, node }: Place): Promise<number> {
  const client = createClient({
    baseUrl: instance.url,
    token: instance.token,
    openSocket: (url, headers) => new WebSocket(url, { headers }),
  });
  const delays: number[] = [];
  const abort = new AbortController();
  const ended = Promise.withResolvers<void>();
  client.followTree(session.id, {
    signal: abort.signal,
    onEvents: (items) => {
      const now = wallMs();
      for (const item of items) {
        if (item.type !== 'node' || item.node.id !== node.id) continue;
        if (/^\d+\.\d{3}$/.test(item.node.reason ?? ''))
          delays.push(now - Number(item.node.reason));
        if (item.node.status === 'done' && delays.length > 0) ended.resolve();
      }
    },
  });
  await api.message(node.id, 'go');
  await ended.promise;
  abort.abort();
  return percentile(delays, 50);
}

/** MiB that a process holds. */
function memoryOf(pid: number): number {
  const [, kib = ''] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
