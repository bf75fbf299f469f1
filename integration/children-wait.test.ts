import { Api, follow, type Instance, isType, startInstance } from '@filepath/testkit';
import type { LogEvent } from '@filepath/protocol';
import { expect, it } from 'vitest';

/** A parent that waits for its child as it is told, and a child that ends with whatever it is told. */
const FAMILY = `
case "$FILEPATH_TASK" in
child) while read -r line; do
  word=$(printf '%s' "$line" | sed -n 's/.*"content":"say \\([a-z]*\\)".*/\\1/p')
  if [ -n "$word" ]; then printf '{"type":"done","summary":"%s"}\\n' "$word"; else echo '{"type":"status","state":"running"}'; fi
done; exit;;
esac
say() { printf '{"type":"text","content":"%s"}\\n' "$1"; }
wait_children() {
  curl -sS -m "$1" "$FILEPATH_BASE_URL/agent/children/wait" -H "authorization: Bearer $FILEPATH_API_KEY" \\
    -H 'content-type: application/json' -d "{\\"seconds\\":$2}" | grep -o '"words":"[a-z]*"' | tr -d '"'
}
mcp() { printf '{"jsonrpc":"2.0",%s}\\n' "$1"; }
cancel() {
  (
    mcp '"id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}'
    mcp '"method":"notifications/initialized"'
    mcp '"id":1,"method":"tools/call","params":{"name":"wait_children","arguments":{}}'
    sleep 1.5
    mcp '"method":"notifications/cancelled","params":{"requestId":1,"reason":"interrupted"}'
    sleep 0.5
  ) | /opt/filepath/bin/node /opt/filepath/agents/agent.mjs mcp >/dev/null
}
echo '{"type":"status","state":"running"}'
echo '{"type":"spawn","name":"kid","agent":"custom","model":"","task":"child"}'
while read -r line; do
  case "$line" in
  *'"from":"child"'*) say told;;
  *leave*) wait_children 1 50; say left;;
  *cancel*) cancel; say cancelled;;
  # One that has just waited is taken to wait on: what ends before the next one has begun is not told.
  *stay*) wait_children 50 0.2; say waits; say "$(wait_children 50 50)";;
  esac
done`;

async function family(instance: Instance) {
  const api = new Api(instance);
  const { node } = await api.agent(['sh', '-c', FAMILY], { name: 'root' });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'begin');
  const spawned = await feed.until(isType('spawned'));
  const kid = String(Reflect.get(Object(spawned.body), 'node'));
  const kidFeed = follow(instance, kid);
  await kidFeed.until(isType('status'));
  const says =
    (content: string) =>
    ({ body }: LogEvent): boolean =>
      Reflect.get(Object(body), 'content') === content;
  const told = async (): Promise<string[]> =>
    (await api.events(node.id)).flatMap(({ body }) =>
      Reflect.get(Object(body), 'from') === 'child'
        ? [String(Reflect.get(Object(body), 'content'))]
        : [],
    );
  return {
    tell: (content: string) => api.message(node.id, content),
    toKid: (content: string) => api.message(kid, content),
    says: (content: string) => feed.until(says(content)),
    told,
    close: () => {
      feed.close();
      kidFeed.close();
    },
  };
}

it('[TALK1] [TALK3] a wait that its agent broke off has read nothing: the result comes as a message', async () => {
  await using instance = await startInstance();
  const { tell, toKid, says, told, close } = await family(instance);
  for (const [how, gone, word] of [
    ['leave', 'left', 'first'],
    ['cancel', 'cancelled', 'second'],
  ] as const) {
    await tell(how);
    await says(gone);
    await toKid(`say ${word}`);
    await says('told');
    await expect.poll(told).toContainEqual(expect.stringContaining(word));
  }
  expect(await told()).toHaveLength(2);
  close();
});

it('[TALK3] a wait whose answer the agent has is not told beside, and the next end is', async () => {
  await using instance = await startInstance();
  const { tell, toKid, says, told, close } = await family(instance);
  await tell('stay');
  await says('waits');
  await toKid('say first');
  await says('words:first');
  await toKid('say second');
  await says('told');
  expect(await told()).toEqual([expect.stringContaining('second')]);
  close();
});
