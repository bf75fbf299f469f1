import { Api, scriptAgent, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

it('a fresh home takes a session and a tree of nodes, and lists it from the index', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('ten-lines').command);
  await api.call('POST', `/api/session/${session.id}/node`, {
    parentId: node.id,
    agentType: 'custom',
    config: { command: ['true'] },
  });
  const list = await (await api.call('GET', '/api/session')).json();
  expect(list).toMatchObject({ sessions: [{ id: session.id, nodeCount: 2, rootNodeId: node.id }] });
});
