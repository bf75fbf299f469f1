import { Api, follow, isType, makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** A parent that leaves work uncommitted and asks for a child; the child says what it finds. */
const AGENT = `
case $FILEPATH_TASK in
child*)
  printf '{"type":"text","content":"%s"}\\n' "$(cat draft.txt) $(git log --format='%an' | tr '\\n' ' ')"
  ;;
*)
  echo half > draft.txt
  printf '{"type":"spawn","name":"helper","agent":"custom","model":"none","task":"child: look"}\\n'
  read -r task
  read -r rest
  ;;
esac
`;

it('[GIT10] a child that an agent asked for, or a person, goes on with what its parent has not committed', async () => {
  await using instance = await startInstance();
  using repo = tempDir('repo');
  makeRepo(repo.path, [{ message: 'feat: greet', files: { 'hello.txt': 'hello\n' } }]);
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT], { gitRepoUrl: repo.path });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'begin');
  const spawned = await feed.until(isType('spawned'));
  feed.close();
  const created = await api.call('POST', `/api/session/${session.id}/node`, {
    agentType: 'custom',
    name: 'second',
    parentId: node.id,
    config: node.config,
  });
  expect(created.status).toBe(201);
  const { nodes } = await api.tree(session.id);
  const second = nodes.find(({ name }) => name === 'second');
  await api.message(second?.id ?? '', 'child: look');
  for (const child of [String(Reflect.get(Object(spawned.body), 'node')), second?.id ?? '']) {
    const childFeed = follow(instance, child);
    const said = await childFeed.until(isType('text'));
    childFeed.close();
    expect(said.body).toMatchObject({ content: 'half filepath Test ' });
  }
});
