import { type LogEvent, Node, Session } from '@filepath/protocol';
import {
  agentPids,
  Api,
  follow,
  type Follower,
  type Instance,
  isType,
  type ModelServer,
  startInstance,
  startModelServer,
  type Turn,
} from '@filepath/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const KEY = 'key-of-a-provider';

/** Agents by their task, each with the limit that its first call meets. */
const limits = new Map<string, { readonly node: string; readonly seconds: number; met: boolean }>();
const calls = new Map<string, number[]>();

/** The agent is held still before it can read that it is refused. */
function script({ messages }: { readonly messages: readonly { readonly text: string }[] }): Turn {
  const told = messages.map(({ text }) => text).join('\n');
  const task = [...limits.keys()].find((name) => told.includes(name)) ?? '';
  const limit = limits.get(task);
  calls.set(task, [...(calls.get(task) ?? []), Date.now()]);
  if (!limit || limit.met) return { text: 'Painted.' };
  limit.met = true;
  signal(limit.node, 'SIGSTOP');
  return { fault: { kind: 'status', status: 429, retryAfterSeconds: limit.seconds } };
}

/** Waits for a limit and is held still at it; what it wanted to say then, it says when it goes on. */
const LATE = `
IFS= read -r line
case "$line" in
  *'Go on where you were'*) echo '{"type":"done","summary":"went on"}'; exit 0 ;;
esac
until=$(date -u -d '+62 seconds' +%Y-%m-%dT%H:%M:%SZ)
echo '{"type":"status","state":"thinking","reason":"rate limited","until":"'"$until"'"}'
while IFS= read -r line; do
  case "$line" in
    *'"action":"resume"'*) echo '{"type":"status","state":"error","reason":"limit","until":"'"$until"'"}' ;;
    *'"action":"stop"'*) exit 0 ;;
  esac
done`;

function signal(node: string, name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of agentPids(node)) process.kill(pid, name);
}

const isSignal =
  (action: string) =>
  ({ body }: Pick<LogEvent, 'body'>) =>
    Reflect.get(Object(body), 'action') === action;

describe.concurrent('an agent that is held still by a limit before it reads of it', () => {
  let server: ModelServer;
  let instance: Instance;
  let api: Api;

  beforeAll(async () => {
    server = await startModelServer({ script, keys: [KEY] });
    instance = await startInstance({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
    api = new Api(instance);
  });

  afterAll(async () => {
    await instance[Symbol.asyncDispose]();
    await server.close();
  });

  /** `go` lets it go on; without it the limit's end does. */
  async function meet(task: string, seconds: number, go?: (node: string) => Promise<unknown>) {
    const { node } = await api.json(
      z.object({ session: Session, node: Node }),
      'POST',
      '/api/session',
      { root: { agentType: 'shelley', model: 'anthropic/claude-haiku-4.5' } },
    );
    limits.set(task, { node: node.id, seconds, met: false });
    const feed = follow(instance, node.id);
    await api.message(node.id, task);
    const paused = await feed.until(isSignal('pause'));
    await go?.(node.id);
    const resumed = await feed.until(isSignal('resume'));
    signal(node.id, 'SIGCONT');
    await feed.until(isType('done'));
    feed.close();
    expect(feed.events.filter(isSignal('pause'))).toHaveLength(1);
    const until = Date.parse(String(Reflect.get(Object(paused.body), 'until')));
    return { until, resumed: Date.parse(resumed.at), called: calls.get(task) ?? [] };
  }

  it('[LIM6] goes on in another process if it says its error only then, with all below it', async () => {
    const command = ['sh', '-c', LATE];
    const { session, node } = await api.agent(command);
    const { node: child } = await api.json(
      z.object({ node: Node }),
      'POST',
      `/api/session/${session.id}/node`,
      { parentId: node.id, agentType: 'custom', config: { command } },
    );
    // The child first: it would not begin below one that is paused.
    const feeds: Follower[] = [];
    for (const { id } of [child, node]) {
      const feed = follow(instance, id);
      feeds.push(feed);
      await api.message(id, 'work');
      await feed.until(isType('limit'));
    }
    for (const feed of feeds) {
      await feed.until(isType('done'));
      feed.close();
      expect(feed.events.filter(isType('limit'))).toMatchObject([
        { body: { ended: false } },
        { body: { ended: true, over: true } },
      ]);
    }
  });

  const resume = (node: string) =>
    api.json(z.unknown(), 'POST', `/api/thread/${node}/signal`, { action: 'resume' });

  it('[LIM5] [LOOP18] calls once, at once, when the limit is over', async () => {
    const { until, called } = await meet('paint the shed', 60);
    expect(called).toHaveLength(2);
    expect(called[1]).toBeGreaterThanOrEqual(until - 1_000);
    expect((called[1] ?? 0) - until).toBeLessThan(30_000);
  });

  it.each([90, 3_600])(
    '[LIM5] [LIM6] calls once, at once, when a person lets it go on %i seconds before',
    async (seconds) => {
      const { until, resumed, called } = await meet(`paint ${seconds} sheds`, seconds, resume);
      expect(called).toHaveLength(2);
      expect(called[1]).toBeGreaterThanOrEqual(resumed - 1_000);
      expect(called[1]).toBeLessThan(until - 30_000);
    },
  );
});
