import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isType, makeRepo, startInstance, startModelServer, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { cliOf } from './clis.ts';
import { InstanceAgent } from './instance-agent.ts';
import { PROVIDER_KEY } from './play.ts';

/** The smallest of the CLIs. */
const TYPE = 'qwen';
const DOWNLOAD_MS = 240_000;

/** The registry as whoever runs this has set it for npm, and the certificates that it is trusted by. */
function operatorsNpm(): { registry: URL; envVars: Record<string, string> } {
  const said = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const registry = new URL(said.trim());
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  const trust = certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates };
  return { registry, envVars: { NPM_CONFIG_REGISTRY: registry.href, ...trust } };
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

it(
  '[DRV2] a CLI that is missing is installed by npm from inside the sandbox when a person wants it, and then works',
  { timeout: 2 * DOWNLOAD_MS },
  async () => {
    const { entry, model, mainLine, program } = cliOf(TYPE);
    const { registry, envVars } = operatorsNpm();
    const host = `${registry.hostname}:${portOf(registry)}`;
    const server = await startModelServer({
      script: [{ text: 'I am here now.' }],
      otherwise: { text: 'ok' },
      keys: [PROVIDER_KEY],
      ...(mainLine && { mainLine }),
    });
    using repository = tempDir('filepath-repository');
    makeRepo(repository.path);
    await using instance = await startInstance({
      OPENAI_API_KEY: PROVIDER_KEY,
      OPENAI_BASE_URL: `${server.url}/v1`,
      // A registry in the operator's own network is reached where this names it; any other by the policy alone.
      FILEPATH_EGRESS_PRIVATE: host,
    });
    const agent = await InstanceAgent.create(instance, {
      agentType: TYPE,
      model,
      repository: repository.path,
      config: { envVars, network: { policy: 'allowlist', allow: [host] } },
      patienceMs: DOWNLOAD_MS,
    });
    try {
      await agent.say('Are you there?');
      const asked = await agent.until(({ type }) => type === 'decision', 'the question');
      const { id, options } = z
        .object({ id: z.string(), options: z.array(z.string()) })
        .parse(asked);
      expect(options).toEqual(['install', 'cancel']);
      await agent.decide(id, 'install');
      const npm = await agent.until(
        (event) => event.type === 'command' && event.status !== 'start',
        'the end of the installation',
      );
      const pinned = entry.install?.from === 'npm' ? entry.install : null;
      expect(npm, JSON.stringify(npm)).toMatchObject({ status: 'done', exit: 0 });
      expect(npm).toHaveProperty('cmd', expect.stringContaining(`${pinned?.package}@`));
      await agent.until(({ type }) => type === 'done', 'the end of the turn');
      expect(agent.events()).toContainEqual(
        expect.objectContaining({ type: 'text', content: 'I am here now.' }),
      );
      expect(agent.log.filter(isType('denied'))).toEqual([]);

      const home = join(instance.home, 'agents', agent.slug, 'home');
      expect(existsSync(join(home, '.local/bin', program))).toBe(true);
      const installed = join(home, '.local/lib/node_modules', pinned?.package ?? '');
      const { version } = z
        .object({ version: z.string() })
        .parse(JSON.parse(readFileSync(join(realpathSync(installed), 'package.json'), 'utf8')));
      expect(version).toBe(pinned?.version);
    } finally {
      agent.close();
      await server.close();
    }
  },
);
