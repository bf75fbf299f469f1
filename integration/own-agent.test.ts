import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Node, Session } from '@filepath/protocol';
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
import { expect, it } from 'vitest';
import { z } from 'zod';

const TEMPLATE = fileURLToPath(new URL('../packages/cli/templates/agent', import.meta.url));

/** In halves, so that what looks for the key does not hold it. */
const HALVES = [`sk-ant-canary-${randomBytes(8).toString('hex')}`, randomBytes(8).toString('hex')];
const KEY = HALVES.join('-');

/** Prints every place of the sandbox in which the key is found. */
const SEARCH = `printf '%s-%s' ${HALVES.join(' ')} > /tmp/wanted
grep -raFlf /tmp/wanted --exclude-dir=usr --exclude-dir=proc --exclude-dir=dev / 2> /dev/null | grep -vx /tmp/wanted
for pid in /proc/[0-9]*; do
  for name in environ cmdline; do
    tr '\\0' '\\n' < $pid/$name 2> /dev/null | grep -aqFf /tmp/wanted && echo $pid/$name
  done
done
echo searched; exit 3`;

/** Puts the agent of the template where its README says. */
function install(home: string): void {
  for (const folder of ['tools/bin', 'catalog']) mkdirSync(join(home, folder), { recursive: true });
  copyFileSync(join(TEMPLATE, 'agent.mjs'), join(home, 'tools/bin/my-agent'));
  copyFileSync(join(TEMPLATE, 'my-agent.json'), join(home, 'catalog/my-agent.json'));
}

it("[CAT7] [CAT11] the tutorial's agent asks a model, uses its tool and tells it; the provider's key is nowhere in its sandbox", async () => {
  const model = await startModelServer({
    keys: [KEY],
    script: perConversation([
      { text: 'I look.', tools: [{ name: 'shell', input: { command: SEARCH } }] },
      ({ results }) => ({ text: `It said: ${results[0]?.text ?? 'nothing'}` }),
      { text: 'Again.' },
    ]),
  });
  using home = tempDir('filepath-home');
  using repo = tempDir('repo');
  makeRepo(repo.path);
  install(home.path);
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: model.url };
  const instance = await startInstance(env, { home: home.path });
  try {
    const api = new Api(instance);
    const { node } = await api.json(
      z.object({ session: Session, node: Node }),
      'POST',
      '/api/session',
      { gitRepoUrl: repo.path, root: { agentType: 'my-agent' } },
    );
    expect(node).toMatchObject({ agentType: 'my-agent', model: expect.stringMatching(/claude-/) });
    const events = follow(instance, node.id);
    await api.message(node.id, 'search');
    await events.until(isType('done'));
    await api.message(node.id, 'and again');
    await events.until((event) => JSON.stringify(event.body).includes('Again.'));
    events.close();

    const log = await api.events(node.id);
    const said = log.filter(({ source }) => source === 'fap').map(({ body }) => body);
    expect(said).toContainEqual(expect.objectContaining({ type: 'text', content: 'I look.' }));
    expect(said).toContainEqual(
      expect.objectContaining({ type: 'command', status: 'error', exit: 3, stdout: 'searched\n' }),
    );
    expect(said).toContainEqual({ type: 'text', content: 'It said: exit 3\nsearched\n' });
    expect(log.map(({ source }) => source)).toContain('gateway');
    for (const { headers } of model.requests) expect(headers['x-api-key']).toBe(KEY);
    expect(model.calls).toHaveLength(3);
    expect(JSON.stringify(log)).not.toContain(KEY);
  } finally {
    await instance[Symbol.asyncDispose]();
    await model.close();
  }
});
