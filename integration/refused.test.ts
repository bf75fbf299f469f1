import { Api, follow, isType, startInstance, tempDir } from '@filepath/testkit';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A PATH with everything the system has but bubblewrap. */
function pathWithout(program: string, dir: string): string {
  for (const folder of ['/usr/sbin', '/usr/bin', '/sbin', '/bin']) {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (name !== program && !existsSync(join(dir, name))) {
        try {
          symlinkSync(join(folder, name), join(dir, name));
        } catch {
          // A dangling link of the same name.
        }
      }
    }
  }
  return dir;
}

it('without bubblewrap the app starts, agents are refused, and the reason says what to do', async () => {
  using bin = tempDir('bin');
  await using instance = await startInstance({ PATH: pathWithout('bwrap', bin.path) });
  const api = new Api(instance);
  const health: unknown = await (await api.call('GET', '/api/health')).json();
  expect(health).toMatchObject({ ok: true, agents: { available: false } });
  expect(JSON.stringify(health)).toContain('bubblewrap');

  const { node, session } = await api.agent(['true']);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  const refused = await feed.until(isType('refused'));
  feed.close();
  expect(JSON.stringify(refused.body)).toContain('apt-get install');
  await expect
    .poll(async () => (await api.tree(session.id)).nodes[0])
    .toMatchObject({ status: 'error' });
});
