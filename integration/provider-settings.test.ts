import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { GatewayCall } from '@filepath/protocol';
import { Api, follow, isType, startInstance, startModelServer } from '@filepath/testkit';
import { expect, it } from 'vitest';

const KEY = 'sk-provider-canary-0123456789-wxyz';

/** Asks the gateway for the model of its node and says what came, with everything it can see. */
const AGENT = `
answer=$(curl -s "$FILEPATH_BASE_URL/openai/v1/chat/completions" \
  -H "authorization: Bearer $FILEPATH_API_KEY" -H 'content-type: application/json' \
  -d "{\\"model\\":\\"$FILEPATH_MODEL\\",\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"hi\\"}]}")
printf '{"type":"text","content":"%s"}\\n' "$(printf %s "$answer" | base64 -w0)"
printf '{"type":"text","content":"%s"}\\n' "$( (env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null) | tr -d '\\0' | base64 -w0)"
printf '{"type":"done","summary":"asked"}\\n'
`;

it('[PRO12] [PRO14] an agent asks a provider of the settings, whose key it never sees', async () => {
  const models = await startModelServer({
    script: () => ({ text: 'Hello from the model.' }),
    keys: [KEY],
  });
  await using instance = await startInstance();
  const api = new Api(instance);
  const provider = {
    kind: 'openai-compatible',
    id: 'local',
    baseUrl: `${models.url}/v1`,
    key: KEY,
    models: ['tiny'],
    prices: { tiny: { input: 1, output: 2 } },
  };
  expect((await api.call('POST', '/api/providers', provider)).status).toBe(201);
  const { session, node } = await api.agent(['sh', '-c', AGENT]);
  const path = `/api/session/${session.id}/node/${node.id}`;
  expect((await api.call('PATCH', path, { model: 'local/tiny' })).status).toBe(200);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'ask');
  await feed.until(isType('exit'));
  await feed.until((event) => event.source === 'gateway');
  feed.close();

  expect(models.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
  expect(JSON.parse(models.requests[0]?.body ?? '{}')).toMatchObject({ model: 'tiny' });
  const events = await api.events(node.id);
  const call = events.find(({ source }) => source === 'gateway');
  expect(GatewayCall.parse(call?.body)).toMatchObject({
    provider: 'local',
    model: 'local/tiny',
    outcome: 'completed',
  });
  const said = events.flatMap(({ source, body }) =>
    source === 'fap' && Reflect.get(Object(body), 'type') === 'text'
      ? [Buffer.from(String(Reflect.get(Object(body), 'content')), 'base64').toString()]
      : [],
  );
  expect(said[0]).toContain('Hello from the model.');
  expect(said[1]).toContain('FILEPATH_MODEL=local/tiny');
  expect(said.join('\n')).not.toContain(KEY);
  expect(JSON.stringify(events)).not.toContain(KEY);
  // Files come and go while it runs.
  await instance.stop();
  const files = execFileSync('find', [instance.home, '-type', 'f'], { encoding: 'utf8' });
  const telling = files
    .trim()
    .split('\n')
    .filter((file) => readFileSync(file).includes(KEY));
  expect(telling).toEqual([]);
  await models.close();
});
