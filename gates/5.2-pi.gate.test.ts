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

it('Pi receives a question, searches the codebase and says what it found', async () => {
  const server = await startModelServer({
    script: perConversation([
      {
        text: 'I search.',
        tools: [
          { name: 'search', input: { pattern: 'hello' } },
          { name: 'list_files', input: {} },
        ],
      },
      ({ results }) => ({
        text: `Found: ${results.find(({ name }) => name === 'search')?.text ?? 'nothing'}`,
      }),
    ]),
  });
  await using _ = { [Symbol.asyncDispose]: () => server.close() };
  using repo = tempDir('repo');
  makeRepo(repo.path);
  await using instance = await startInstance({
    OPENAI_API_KEY: 'key-of-a-provider',
    OPENAI_BASE_URL: `${server.url}/v1`,
  });
  const api = new Api(instance);
  const { node } = await api.json(
    z.object({ session: Session, node: Node }),
    'POST',
    '/api/session',
    { gitRepoUrl: repo.path, root: { agentType: 'pi', model: 'openai/gpt-5.4' } },
  );
  const feed = follow(instance, node.id);
  await api.message(node.id, 'Where does it greet?');
  await feed.until(isType('done'));
  feed.close();

  const texts = feed.events.filter(isType('text')).map(({ body }) => body);
  expect(texts).toContainEqual(
    expect.objectContaining({ content: 'Found: src/hello.txt:1:hello' }),
  );
  const first = server.calls[0]?.request;
  expect(first?.system).toContain('research and analysis');
  expect(first?.tools).not.toContain('write_file');
});
