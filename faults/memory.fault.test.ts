import { Memory } from '@filepath/protocol';
import { Api, chance, follow, isType, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';

const COUNT = 60;

const AGENT = `
read -r task
i=1
while [ $i -le ${COUNT} ]; do
  printf '{"type":"memory","content":"fact %s"}\\n' $i
  i=$((i + 1))
  sleep 0.05
done
`;

it('[MEM5] kills of engine and process while an agent remembers: each is stored, once', async () => {
  const dice = chance('memory');
  await using instance = await startInstance();
  const api = new Api(instance);
  const { node } = await api.agent(['sh', '-c', AGENT]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  for (let kills = 0, mark = 0; kills < 5; kills += 1) {
    mark += 1 + dice.below(9);
    const said = `fact ${mark}`;
    await feed.until(({ body }) => Reflect.get(Object(body), 'content') === said);
    if (dice.below(2) === 0) {
      await instance.killEngine();
    } else {
      await instance.killProcess();
      await instance.start();
    }
  }
  await feed.until(isType('exit'));
  feed.close();

  const Listed = z.object({ memories: z.array(Memory), total: z.int() });
  const listed = () => api.json(Listed, 'GET', '/api/memories?limit=500');
  await expect.poll(async () => (await listed()).total).toBe(COUNT);
  const { memories } = await listed();
  const seqs = feed.events.filter(isType('memory')).map(({ seq }) => seq);
  const stored = memories.map(({ source }) => (source.by === 'agent' ? source.seq : null));
  expect(stored.sort((a, b) => Number(a) - Number(b))).toEqual(seqs);
  // One that was stored twice would have been renewed.
  expect(memories.filter(({ createdAt, updatedAt }) => createdAt !== updatedAt)).toEqual([]);
});
