import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig } from '@filepath/protocol';
import {
  type Instance,
  makeRepo,
  type ModelServer,
  startInstance,
  startModelServer,
  tempDir,
} from '@filepath/testkit';
import { addToCatalog } from './adapters.ts';
import { cliOf, withTools } from './clis.ts';
import { InstanceAgent } from './instance-agent.ts';
import { installed } from './installed.ts';
import type { Scenario } from './scenarios.ts';

/** The one key that the scripted provider takes. No agent ever has it. */
export const PROVIDER_KEY = 'sk-canary-4f1c0a9be77d4e2f8c31';

/** filepath with a real CLI among its tools, before a scripted model. */
export type Stage = AsyncDisposable & {
  readonly instance: Instance;
  readonly server: ModelServer;
  readonly type: string;
  /** What every agent of this stage has in its configuration. */
  readonly config: AgentConfig;
};

/** `prepare` may add to the home before anything starts. */
export async function stage(type: string, prepare?: (home: string) => void): Promise<Stage> {
  const { entry, direct } = cliOf(type);
  const tools = installed(entry);
  const server = await startModelServer({ script: [], keys: [PROVIDER_KEY] });
  const home = tempDir('filepath-clis');
  symlinkSync(tools, join(home.path, 'tools'));
  addToCatalog(entry, home.path);
  prepare?.(home.path);
  const instance = await startInstance(
    {
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      ANTHROPIC_BASE_URL: server.url,
      OPENAI_API_KEY: PROVIDER_KEY,
      OPENAI_BASE_URL: `${server.url}/v1`,
      ...(direct && { FILEPATH_EGRESS_PRIVATE: new URL(server.url).host }),
    },
    { home: home.path },
  );
  return {
    instance,
    server,
    type,
    config: direct?.(server.url, PROVIDER_KEY) ?? {},
    [Symbol.asyncDispose]: async () => {
      try {
        await instance[Symbol.asyncDispose]();
        await server.close();
      } finally {
        home.remove();
      }
    },
  };
}

export type Around = {
  /** Files of the repository beside the usual ones. */
  readonly files?: Record<string, string>;
  /** Called at the end, while the agent is there. */
  readonly look?: (agent: InstanceAgent) => Promise<void> | void;
};

/** Plays a scenario with an agent of its own on a repository of its own. */
export async function play(
  { instance, server, type, config }: Stage,
  scenario: Scenario,
  { files = {}, look }: Around = {},
): Promise<void> {
  const { hands, model, mainLine = withTools } = cliOf(type);
  using repository = tempDir('filepath-repository');
  makeRepo(repository.path, [
    { message: 'docs: say what this is', files: { 'README.md': '# A repository\n', ...files } },
  ]);
  server.play({
    script: scenario.script(hands, '/workspace'),
    otherwise: { text: 'ok' },
    mainLine,
  });
  const before = server.calls.length;
  const agent = await InstanceAgent.create(instance, {
    agentType: type,
    model,
    repository: repository.path,
    config: { ...config, ...(scenario.permissions && { permissions: scenario.permissions }) },
  });
  try {
    await scenario.play(agent);
    const requests = server.calls.slice(before).map(({ request }) => request);
    scenario.asked?.(requests.filter(mainLine));
    await look?.(agent);
  } finally {
    await agent.leave();
  }
}
