import { readFileSync } from 'node:fs';
import { Liteclaw } from '@filepath/protocol';
import { Api, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

it('every path under /agents is answered, one chat by the Agents SDK, the others by nobody', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const status = async (path: string): Promise<number> => (await api.call('GET', path)).status;
  /** Not there, or a path of the page. */
  const isOfNobody = async (path: string): Promise<boolean> => {
    const { status: found, headers } = await api.call('GET', path);
    return found === 404 || (headers.get('content-type') ?? '').startsWith('text/html');
  };
  const { id } = await api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  expect(await status(`/agents/chat/${id}`), 'asks for a WebSocket').toBe(426);
  expect(await status(`/agents/chat/${id}/get-messages`)).toBe(200);
  for (const path of ['/agents/chat', '/agents/user/owner', `/agents/chat/${id}/sub/x/y`])
    expect(await isOfNobody(path), path).toBe(true);
  const bare = await fetch(`${instance.url}/agents/chat/${id}/get-messages`);
  expect(bare.status).toBe(401);
});

it('the class of the chat keeps its state in SQLite', () => {
  const config = readFileSync(
    new URL('../packages/worker/wrangler.jsonc', import.meta.url),
    'utf8',
  );
  expect(config).toMatch(/"new_sqlite_classes":\s*\[[^\]]*"Chat"/);
});
