import { Node } from '@filepath/protocol';
import { Api, follow, isType, makeRepo, shimPids, startInstance, tempDir } from '@filepath/testkit';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const AGENTS = 10;

/** Says that it is there, waits until it is told to go on, answers with its task and ends. */
const AGENT = `
echo '{"type":"status","state":"running"}'
read -r task; read -r go
echo "$FILEPATH_TASK" > answer; git add answer
git -c user.name=a -c user.email=a@localhost commit -q -m "answer $FILEPATH_TASK"
printf '{"type":"text","content":"answer %s"}\\n' "$FILEPATH_TASK"
echo '{"type":"done"}'`;

const isRunning = (event: { source: string; body: unknown }): boolean =>
  event.source === 'fap' && Reflect.get(Object(event.body), 'state') === 'running';

/** Processes whose command line names a home. */
function processesOf(home: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
      return line.includes('filepath-shim') && line.includes(home) ? [line] : [];
    } catch {
      return [];
    }
  });
}

it('ten agents that are started at once in one session all answer and end, and leave nothing behind', async () => {
  await using instance = await startInstance({ FILEPATH_MAX_WORKING: String(AGENTS) });
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const api = new Api(instance);
  const command = ['sh', '-c', AGENT];
  const { session, node } = await api.agent(command, { gitRepoUrl: repo.path, name: 'agent-0' });
  const Made = z.object({ node: Node });
  const others = await Promise.all(
    Array.from({ length: AGENTS - 1 }, async (_, index) => {
      const body = { name: `agent-${index + 1}`, agentType: 'custom', config: { command } };
      return (await api.json(Made, 'POST', `/api/session/${session.id}/node`, body)).node;
    }),
  );
  const nodes = [node, ...others];
  const feeds = nodes.map(({ id }) => follow(instance, id));
  await Promise.all(feeds.map((feed) => feed.live));

  await Promise.all(nodes.map(({ id, name }) => api.message(id, name)));
  const failed = feeds.map((feed) =>
    feed
      .until((event) => isType('refused')(event))
      .then((event) => {
        throw new Error(JSON.stringify(event.body));
      }),
  );
  await Promise.race([Promise.all(feeds.map((feed) => feed.until(isRunning))), ...failed]);
  // All of them at the same time: none waits for another to end.
  expect(shimPids(instance.home)).toHaveLength(AGENTS);

  await Promise.all(nodes.map(({ id }) => api.message(id, 'go on')));
  const exits = await Promise.all(feeds.map((feed) => feed.until(isType('exit'))));
  for (const exit of exits) expect(exit.body).toMatchObject({ code: 0, reason: 'exited' });
  for (const [index, feed] of feeds.entries()) {
    const said = JSON.stringify(feed.events.map(({ body }) => body));
    expect(said).toContain(`"answer agent-${index}"`);
    expect(feed.events.filter(isType('head'))).toHaveLength(1);
    feed.close();
  }
  await expect
    .poll(async () => (await api.tree(session.id)).nodes.map(({ status }) => status))
    .toEqual(Array(AGENTS).fill('done'));

  expect(processesOf(instance.home)).toEqual([]);
  expect(globSync('agents/*/run/*/groups', { cwd: instance.home })).toEqual([]);
  // Commits are brought to the mirror after an end, by a command with groups of its own.
  const groups = (): string[] =>
    globSync('/sys/fs/cgroup/{,*/}filepath/*').filter((path) =>
      nodes.some(({ slug }) => path.includes(slug)),
    );
  await expect.poll(groups).toEqual([]);
  expect(
    readdirSync(join(instance.home, 'mirrors')).filter((name) => name.endsWith('.git')),
  ).toHaveLength(1);
});
