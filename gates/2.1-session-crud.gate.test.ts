import { Api, startInstance } from '@filepath/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Instance } from '@filepath/testkit';

let instance: Instance;
let api: Api;
beforeAll(async () => {
  instance = await startInstance();
  api = new Api(instance);
});
afterAll(() => instance[Symbol.asyncDispose]());

it('a session that was created is returned with its tree', async () => {
  const { session, node } = await api.agent(['true'], { name: 'root' });
  const tree = await api.tree(session.id);
  expect(tree.session).toMatchObject({ id: session.id, status: 'draft', rootNodeId: node.id });
  expect(tree.nodes).toMatchObject([{ id: node.id, parentId: null, name: 'root', sortOrder: 0 }]);
  const whole = await (await api.call('GET', `/api/session/${session.id}`)).json();
  expect(whole).toMatchObject({ session: { id: session.id }, nodes: [{ id: node.id }] });
});

it('a session can be renamed', async () => {
  const { session } = await api.agent(['true']);
  const renamed = await api.call('PATCH', `/api/session/${session.id}`, { name: 'other' });
  expect(await renamed.json()).toMatchObject({ session: { name: 'other' } });
});

it('deleting a session deletes its nodes and their threads', async () => {
  const { session, node } = await api.agent(['true']);
  expect((await api.call('DELETE', `/api/session/${session.id}`)).status).toBe(204);
  expect((await api.call('GET', `/api/session/${session.id}`)).status).toBe(404);
  expect((await api.call('GET', `/api/thread/${node.id}/events`)).status).toBe(404);
  const list = JSON.stringify(await (await api.call('GET', '/api/session')).json());
  expect(list).not.toContain(session.id);
});
