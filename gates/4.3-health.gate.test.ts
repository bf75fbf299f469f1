import { Api, follow, isType, makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { RunnerHealth, UserMessage } from '@filepath/protocol';
import { expect, it } from 'vitest';

/** Leaves a file and dies at its first start; says at its second what it was told, and what it finds. */
const AGENT = `
read -r task
if mkdir ~/been-here 2> /dev/null; then
  echo half > half-done.txt
  exit 1
fi
read -r told
printf '%s\\n' "$told" | sed 's/"type":"message"/"type":"text"/'
kept=$(git log -1 --format='%H %an' refs/filepath/rescue/2)
files=$(git show --format= --name-only refs/filepath/rescue/2)
printf '{"type":"text","content":"%s %s %s"}\\n' "$kept" "$files" "$(cat half-done.txt)"
`;

const CHECKS = {
  health: {
    checks: { types: 'echo "hello.txt: no such type"; exit 2', build: 'test -e hello.txt' },
  },
};

it('before an agent starts its workspace is checked, orphaned work is committed, and the agent knows', async () => {
  await using instance = await startInstance();
  using repo = tempDir('repo');
  const files = { 'filepath.json': JSON.stringify(CHECKS), 'hello.txt': 'hello\n' };
  makeRepo(repo.path, [{ message: 'feat: greet', files }]);
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT], { gitRepoUrl: repo.path });
  const feed = follow(instance, node.id);

  await api.message(node.id, 'begin');
  const died = await feed.until(isType('exit'));
  expect(died.body).toMatchObject({ code: 1 });
  const seq = await api.message(node.id, 'go on');
  const since = (type: string) => (event: { seq: number; body: unknown }) =>
    event.seq > seq && Reflect.get(Object(event.body), 'type') === type;
  const exit = await feed.until(since('exit'));
  expect(exit.body).toMatchObject({ code: 0, epoch: 2 });
  feed.close();

  const events = feed.events.filter((event) => event.seq >= seq);
  expect(
    events.map(({ source, body }) => `${source} ${Reflect.get(Object(body), 'type')}`),
  ).toEqual([
    'user message',
    'runner health',
    'runner health',
    'system message',
    'runner started',
    'fap text',
    'fap text',
    'runner exit',
  ]);
  const health = RunnerHealth.parse(events[2]?.body);
  expect(health).toMatchObject({
    state: 'done',
    rescued: { ref: 'refs/filepath/rescue/2', files: 1 },
    checks: [
      { name: 'types', outcome: 'failed', tail: 'hello.txt: no such type' },
      { name: 'build', outcome: 'passed' },
    ],
  });
  const told = UserMessage.parse(events[3]?.body);
  expect(told.content).toContain('hello.txt: no such type');
  expect(told.content).toContain(`commit ${health.rescued?.hash ?? 'none'}`);
  expect(events[5]?.body, 'the agent read it').toMatchObject({ content: told.content });
  expect(events[6]?.body).toMatchObject({
    content: `${health.rescued?.hash ?? 'none'} filepath half-done.txt half`,
  });
  await expect
    .poll(async () => (await api.tree(session.id)).nodes[0])
    .toMatchObject({ status: 'done' });
});
