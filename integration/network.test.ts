import { Api, follow, startInstance } from '@filepath/testkit';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type LogEvent, RunnerBody, toBlocks } from '@filepath/protocol';
import { expect, it } from 'vitest';

const runnerBody = (event: LogEvent): RunnerBody | undefined =>
  event.source === 'runner' ? RunnerBody.safeParse(event.body).data : undefined;

const exited =
  (epoch: number) =>
  (event: LogEvent): boolean => {
    const body = runnerBody(event);
    return body?.type === 'exit' && body.epoch === epoch;
  };

it('[NET1] [NET9] what an agent may not reach is in its thread with what to change; changed, it reaches it at its next start', async () => {
  const server = createServer((_request, response) => response.end('reached'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = `localhost:${port}`;
  await using instance = await startInstance({ FILEPATH_EGRESS_PRIVATE: host });
  const api = new Api(instance);
  const script = `printf '{"type":"text","content":"%s"}\\n' "$(curl -s --noproxy '' http://${host}/ | tr -d '"\\n')"`;
  const command = ['sh', '-c', script];
  const { session, node } = await api.agent(command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(exited(1));

  const config = { command, network: { policy: 'allowlist', allow: [host] } };
  const path = `/api/session/${session.id}/node/${node.id}`;
  expect((await api.call('PATCH', path, { config })).status).toBe(200);
  await api.message(node.id, 'again');
  await feed.until(exited(2));
  feed.close();
  server.close();

  const events = await api.events(node.id);
  const denied = events.map(runnerBody).filter((body) => body?.type === 'denied');
  expect(denied).toEqual([
    expect.objectContaining({
      epoch: 1,
      host: 'localhost',
      port,
      hint: expect.stringContaining(host),
    }),
  ]);
  const blocks = toBlocks(events);
  expect(blocks).toContainEqual(
    expect.objectContaining({ kind: 'notice', level: 'warn', text: expect.stringContaining(host) }),
  );
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.content] : []));
  expect(texts).toEqual([expect.stringMatching(/^filepath: localhost.*out of reach/), 'reached']);
});
