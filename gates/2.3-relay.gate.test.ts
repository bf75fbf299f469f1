import {
  Api,
  follow,
  isType,
  makeRepo,
  scriptAgent,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { expect, it } from 'vitest';

it('a message reaches the agent, and what the agent says is validated, stored and streamed', async () => {
  await using instance = await startInstance();
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const api = new Api(instance);
  const { node } = await api.agent(scriptAgent('all-events').command, { gitRepoUrl: repo.path });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'say everything');
  await feed.until((event) => event.source === 'fap' && isType('done')(event));
  await api.message(node.id, 'and "more"');
  await feed.until((event) => JSON.stringify(event.body).includes('echo: and'));
  feed.close();

  const live = feed.events;
  const stored = (await api.events(node.id)).slice(0, live.length);
  expect(live).toEqual(stored);
  expect(live.map((event) => event.seq)).toEqual(live.map((_, i) => i + 1));
  const said = new Set(
    live
      .filter((event) => event.source === 'fap')
      .map((event) => Reflect.get(event.body as object, 'type')),
  );
  expect(said).toEqual(
    new Set(['text', 'tool', 'command', 'commit', 'spawn', 'workers', 'status', 'handoff', 'done']),
  );
  expect(live.filter(isType('commit')).map((event) => event.body)).not.toContainEqual(
    expect.objectContaining({ hash: '0000000' }),
  );
});
