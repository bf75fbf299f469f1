import { Api, follow, isType, makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { GateResult } from '@filepath/protocol';
import { expect, it } from 'vitest';

/** Claims to be done at once; mends what it is told of. Loosens the gate, too. */
const AGENT = `
git config user.name a; git config user.email a@a
echo '{}' > filepath.json; git commit -qam loosen
echo '{"type":"done"}'
while read -r line; do
  case $line in *'not done yet'*)
    echo proof > proof; git add proof; git commit -qm proof
    echo '{"type":"done"}' ;;
  esac
done
`;

const DECLARED = { gates: { commands: [{ name: 'proof', run: 'echo looking; test -e proof' }] } };

it('[GATE5] an agent is done when its gates have passed, whatever it says before', async () => {
  await using instance = await startInstance();
  using repo = tempDir('repo');
  makeRepo(repo.path, [{ message: 'first', files: { 'filepath.json': JSON.stringify(DECLARED) } }]);
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT], { gitRepoUrl: repo.path });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'prove it');

  const failed = await feed.until(isType('gate'));
  expect(GateResult.parse(failed.body)).toMatchObject({
    passed: false,
    clean: true,
    checks: [{ name: 'proof', exit: 1, tail: 'looking' }],
  });
  const passed = await feed.until(
    ({ seq, body }) => seq > failed.seq && GateResult.safeParse(body).success,
  );
  expect(passed.run, 'the run goes on').toBe(failed.run);
  feed.close();
  const result = GateResult.parse(passed.body);
  expect(result).toMatchObject({ passed: true, clean: true });
  expect(
    feed.events
      .filter(({ source }) => source !== 'runner')
      .map(({ body }) => Reflect.get(Object(body), 'type')),
  ).toEqual(['message', 'done', 'gate_begun', 'gate', 'message', 'done', 'gate_begun', 'gate']);
  await expect
    .poll(async () => (await api.tree(session.id)).nodes[0])
    .toMatchObject({ status: 'done', done: 1, total: 1 });

  const text = await (await api.call('GET', `/api/thread/${node.id}/export`)).text();
  const receipts = text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter((line) => Reflect.get(Object(line), 'type') === 'receipt');
  expect(receipts).toMatchObject([
    {
      receipt: {
        type: 'receipt.run',
        run_id: passed.run,
        verified: true,
        ended_by: passed.seq,
        gate: { passed: true, commit: result.commit },
      },
    },
  ]);
});

it('[GATE5] an agent that has ended is started again with what failed, and then left to a person', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const gates = { commands: [{ name: 'never', run: 'false' }], attempts: 1 };
  const script = `read -r line; echo '{"type":"text","content":"'\${#line}'"}'`;
  const { session, node } = await api.agent(['sh', '-c', script], { config: { gates } });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  const first = await feed.until(isType('gate'));
  const last = await feed.until(
    ({ seq, body }) => seq > first.seq && Reflect.get(Object(body), 'type') === 'gate',
  );
  feed.close();
  const types = feed.events.map(({ body }) => Reflect.get(Object(body), 'type'));
  expect(types.filter((type) => type === 'exit')).toHaveLength(2);
  expect(last.run).toBe(first.run);
  await expect
    .poll(async () => (await api.tree(session.id)).nodes[0])
    .toMatchObject({ status: 'error', reason: 'gate failed: never' });
});
