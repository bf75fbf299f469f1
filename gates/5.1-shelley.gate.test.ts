import {
  Api,
  follow,
  isType,
  makeRepo,
  perConversation,
  startInstance,
  startModelServer,
  tempDir,
} from '@filepath/testkit';
import { Node, Session } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('Shelley receives a task, asks the model, uses tools, tells it in events and commits', async () => {
  await using server = await modelServer();
  using repo = tempDir('repo');
  makeRepo(repo.path);
  await using instance = await startInstance({
    ANTHROPIC_API_KEY: 'key-of-a-provider',
    ANTHROPIC_BASE_URL: server.url,
  });
  const api = new Api(instance);
  const { node } = await api.json(
    z.object({ session: Session, node: Node }),
    'POST',
    '/api/session',
    {
      gitRepoUrl: repo.path,
      root: { agentType: 'shelley', model: 'anthropic/claude-haiku-4.5' },
    },
  );
  const feed = follow(instance, node.id);
  await api.message(node.id, 'Greet the world.');
  await feed.until(isType('done'));
  const commit = await feed.until(isType('head'));
  feed.close();

  const said = feed.events.filter(({ source }) => source === 'fap').map(({ body }) => body);
  expect(said).toContainEqual(
    expect.objectContaining({ type: 'tool', name: 'edit_file', status: 'done', diff: DIFF }),
  );
  expect(said).toContainEqual(
    expect.objectContaining({ type: 'command', status: 'error', exit: 3, stdout: 'hello world\n' }),
  );
  expect(said).toContainEqual({ type: 'done', summary: 'It greets the world now.' });
  expect(JSON.stringify(commit.body)).toContain('feat: greet the world');
  expect(server.system()).toContain('experienced full-stack engineer');
});

const DIFF = expect.stringContaining('-hello\n+hello world\n') as string;

async function modelServer() {
  const server = await startModelServer({
    script: perConversation([
      { text: 'I read it.', tools: [{ name: 'read_file', input: { path: 'src/hello.txt' } }] },
      {
        tools: [
          {
            name: 'edit_file',
            input: { path: 'src/hello.txt', old: 'hello', new: 'hello world' },
          },
        ],
      },
      { tools: [{ name: 'bash', input: { command: 'cat src/hello.txt; exit 3' } }] },
      { tools: [{ name: 'git', input: { action: 'commit', message: 'feat: greet the world' } }] },
      { text: 'It greets the world now.' },
    ]),
  });
  return {
    url: server.url,
    system: () => server.calls[0]?.request.system,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
