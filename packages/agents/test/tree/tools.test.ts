import { describe, expect, it } from 'vitest';
import { TREE_TOOLS, treeTools } from '../../src/tree/tools.ts';
import { use } from '../native/tools/tool-kit.ts';
import { startTree } from '../tree-server.ts';

async function desk() {
  const tree = await startTree();
  const waits: number[] = [];
  const tools = treeTools({
    gateway: { baseUrl: `${tree.url}/gateway`, apiKey: 'fpk_test' },
    longestWait: 600,
    waits: () => void waits.push(1),
  });
  const call = (name: string, input: unknown, signal?: AbortSignal) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return use(tool, input, signal);
  };
  return { tree, tools, call, waits };
}

describe('[LOOP34] the tools of an agent in a tree', () => {
  it('are those that need no leave', async () => {
    const { tools } = await desk();
    expect(new Set(tools.map(({ name }) => name))).toEqual(TREE_TOOLS);
  });

  it('ask with the key of the agent, and answer in text', async () => {
    const { tree, call } = await desk();
    const started = await call('spawn_agent', {
      name: 'tests',
      task: 'Write.',
      budget: { usd: 1 },
    });
    const [child] = tree.children;
    expect(started).toEqual({ ok: true, text: `Started "tests" (shelley) as ${child?.id}.` });
    expect(tree.spawned).toMatchObject([{ name: 'tests', budget: { tokens: null, usd: 1 } }]);
    const id = child?.id;
    Object.assign(child ?? {}, {
      status: 'done',
      works: false,
      result: { outcome: 'completed', words: 'All\ngreen.' },
    });
    const line = `${id} "tests" shelley: done\n  All\n  green.`;
    expect(await call('list_children', {})).toEqual({ ok: true, text: line });
    expect(await call('wait_children', { ids: [id], seconds: 1 })).toEqual({
      ok: true,
      text: line,
    });
    expect(await call('stop_child', { id })).toEqual({ ok: true, text: line });
    expect((await call('read_child_messages', { id })).text).toBe(
      'parent: Look.\n\nagent: I looked.\n\n[up to seq 4]',
    );
    expect(await call('send_to_child', { id, content: 'more' })).toMatchObject({ ok: true });
    expect(new Set(tree.asked.map(({ key }) => key))).toEqual(new Set(['Bearer fpk_test']));
    expect(tree.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST children',
      'GET children',
      'POST children/wait',
      `POST children/${id}/stop`,
      `GET children/${id}/messages`,
      `POST children/${id}/messages`,
    ]);
  });

  it('tell what is refused in the worker’s words, and repeat what failed under the same key', async () => {
    const { tree, call } = await desk();
    tree.refuseNext(409, 'an agent has at most 20 children');
    expect(await call('spawn_agent', { name: 'a', task: 'b' })).toEqual({
      ok: false,
      text: 'an agent has at most 20 children',
    });
    tree.refuseNext(503, 'later');
    expect(await call('spawn_agent', { name: 'a', task: 'b' })).toMatchObject({ ok: true });
    const keys = tree.asked.slice(1).map(({ body }) => Reflect.get(Object(body), 'key') as string);
    expect([keys.length, new Set(keys).size, tree.children.length]).toEqual([2, 1, 1]);
    expect(await call('read_child_messages', { id: 'th_1' })).toMatchObject({ ok: false });
  });

  it('say who still works when the time of a wait is over, and stop waiting when they are told to', async () => {
    const { call } = await desk();
    await call('spawn_agent', { name: 'slow', task: 'b' });
    expect((await call('wait_children', { seconds: 0 })).text).toContain('1 still at work');
    const stop = new AbortController();
    const waiting = call('wait_children', { seconds: 600 }, stop.signal);
    stop.abort();
    expect((await waiting).ok).toBe(false);
  });
});
