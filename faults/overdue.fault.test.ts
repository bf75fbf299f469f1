import { Api, follow, isType, shimPids, startInstance } from '@filepath/testkit';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Asks for two children, which leave a file each and stay. */
const PARENT = `case "$FILEPATH_TASK" in
  stay) touch /workspace/here; while :; do sleep 1; done ;;
esac
for n in 1 2; do
  printf '{"type":"spawn","name":"child %d","agent":"custom","model":"m","task":"stay"}\\n' "$n"
done
while :; do sleep 1; done`;

/** Workspaces in which the file of a child stands. Nothing is asked for it. */
function arrived(home: string): number {
  const agents = join(home, 'agents');
  const slugs = existsSync(agents) ? readdirSync(agents) : [];
  return slugs.filter((slug) => existsSync(join(agents, slug, 'workspace', 'here'))).length;
}

it('[F7] what was due while everything was down is done without a request, once', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', PARENT]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('spawn'));
  feed.close();
  process.kill(instance.enginePid(), 'SIGKILL');
  await instance.killProcess();
  await instance.start();
  await expect.poll(() => arrived(instance.home)).toBe(2);

  const { nodes } = await api.tree(session.id);
  expect(nodes.map(({ name }) => name).sort()).toEqual(['child 1', 'child 2', node.name].sort());
  for (const { id, parentId } of nodes) {
    if (parentId === null) continue;
    const child = follow(instance, id);
    await child.until(isType('started'));
    child.close();
    expect(child.events.filter(isType('message'))).toHaveLength(1);
    expect(child.events.filter(isType('started'))).toHaveLength(1);
  }
  expect(shimPids(instance.home)).toHaveLength(3);
});
