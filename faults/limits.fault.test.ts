import { agentPids, Api, follow, isType, scriptAgent, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { bodyOf, expectWhole } from './support.ts';

const HOG = `perl -e 'my @a; push @a, "x" x 1e7 while 1'`;
const BOMB = `perl -e 'for (1 .. 1000) { my $p = fork; exit 3 if !defined $p; if (!$p) { sleep 1000; exit } }'`;
const IDLE = `printf '{"type":"done"}\\n'; while read -r line; do :; done`;

it('[F15] out of memory, a fork bomb and SIGSTOP end with their type, while siblings go on', async () => {
  await using instance = await startInstance({
    FILEPATH_AGENT_MEMORY: '128M',
    FILEPATH_AGENT_PIDS: '40',
    FILEPATH_AGENT_SILENCE: '2s',
  });
  const api = new Api(instance);
  const run = async (command: string[]) => {
    const { node } = await api.agent(command);
    const feed = follow(instance, node.id);
    await api.message(node.id, 'go');
    return { node, feed };
  };
  const sibling = await run(scriptAgent('stream', '3000', '0.1', '30').command);
  const idle = await run(['sh', '-c', IDLE]);
  const stalled = await run([
    'sh',
    '-c',
    `printf '{"type":"text","content":"up"}\\n'; exec sleep 1000`,
  ]);
  await stalled.feed.until(isType('text'));
  for (const pid of agentPids(stalled.node.id)) process.kill(pid, 'SIGSTOP');
  const outcomes = [
    { ...(await run(['sh', '-c', HOG])), detail: 'out of memory (limit 128 MiB)' },
    { ...(await run(['sh', '-c', BOMB])), detail: 'too many processes (limit 40)' },
    { ...stalled, detail: 'stalled: nothing heard for 4 seconds' },
  ];
  for (const { feed, node, detail } of outcomes) {
    const exit = await feed.until(isType('exit'));
    feed.close();
    expect(bodyOf(exit)).toMatchObject({ reason: 'limit', detail });
    const shown = async () =>
      (await api.tree(node.sessionId)).nodes.find(({ id }) => id === node.id);
    await expect.poll(shown).toMatchObject({ status: 'error', reason: detail });
    expect(agentPids(node.id)).toEqual([]);
  }
  expect(stalled.feed.events.filter(isType('silent'))).toHaveLength(2);
  await sibling.feed.until(isType('exit'));
  sibling.feed.close();
  expectWhole(sibling.feed.events, 3000);
  // One that owes nothing may be silent: it has been for as long as the one that was ended.
  idle.feed.close();
  expect(agentPids(idle.node.id).length).toBeGreaterThan(0);
  expect((await api.events(idle.node.id)).filter(isType('silent'))).toEqual([]);
});
