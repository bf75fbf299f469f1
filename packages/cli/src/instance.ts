import { RunnerId } from '@filepath/protocol';
import type { Runner } from '@filepath/runner';
import { EngineError, HomeLog, lockHome, startEngine } from '@filepath/worker/engine';
import { z } from 'zod';

import { homeSecrets, ownerToken } from './home-secrets.ts';
import { removeInstance, writeInstance } from './instance-file.ts';
import { machineChecks } from './machine-checks.ts';
import { namedOrigin, originsOf } from './origins.ts';
import { liteclawSettings } from './liteclaw-settings.ts';
import { treeCaps } from './tree-caps.ts';

const MODEL_KEYS = [
  ...['OPENROUTER', 'ANTHROPIC', 'OPENAI'].flatMap((name) => [
    `${name}_API_KEY`,
    `${name}_BASE_URL`,
  ]),
  'CF_AIG_TOKEN',
  'CF_AIG_BASE_URL',
];

const LinkAnswer = z.object({ url: z.string() });

type Env = Readonly<Record<string, string | undefined>>;

export type InstanceOptions = {
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly env: Env;
  /** No progress is told. */
  readonly quiet?: boolean;
  readonly onProgress?: (line: string) => void;
  /** Called when the engine ended and cannot be brought back; the instance is then of no use. */
  readonly onLost?: () => void;
};

export type Instance = {
  readonly url: string;
  /** The owner's bearer token. */
  readonly token: string;
  /** Signs the owner in, once. */
  readonly signInUrl: string;
  readonly executors: Runner['executors'];
  /** Ends the instance; agents go on and are found again by the next start. */
  stop(): Promise<void>;
};

/** Starts an engine and its runner on a home of its own. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { home, host, port, env, quiet = false, onProgress, onLost } = options;
  const tell = (line: string): void => {
    if (!quiet) onProgress?.(line);
  };
  const undo: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };

  const named = namedOrigin(env);
  const lock = lockHome(home);
  undo.push(() => lock.release());
  try {
    const token = ownerToken(home, env);
    const { runnerToken, authSecret } = homeSecrets(home);
    tell('Starting the engine …');
    const starting = startEngine({
      home,
      host,
      port,
      bindings: {
        FILEPATH_TOKEN: token,
        FILEPATH_RUNNER_TOKEN: runnerToken,
        FILEPATH_SECRET: authSecret,
        FILEPATH_ORIGINS: originsOf(host, port, named),
        ...modelKeys(env),
        ...treeCaps(env),
        ...liteclawSettings(env),
      },
      ...(onLost && { onExit: onLost }),
    });
    // Loaded while workerd starts, which takes longer.
    const [engine, { startRunner }] = await Promise.all([starting, import('@filepath/runner')]);
    undo.push(() => engine.stop());
    tell('Starting the runner …');
    const log = new HomeLog(home, 'runner.log');
    undo.push(() => log.close());
    const runner = await startRunner({
      home,
      url: engine.url,
      token: runnerToken,
      id: RunnerId.parse('rn_local'),
      env,
      log: (event) => log.write(JSON.stringify(event)),
      checks: machineChecks({ home, host, port, env }),
    });
    undo.push(() => runner.stop());
    await writeInstance(home, {
      url: engine.url,
      pid: process.pid,
      startedAt: new Date().toISOString(),
      token,
    });
    undo.push(() => removeInstance(home));
    const signInUrl = await makeSignInUrl(engine.url, token, named ?? engine.url);
    return { url: engine.url, token, signInUrl, executors: runner.executors, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function modelKeys(env: Env): Record<string, string> {
  const found = MODEL_KEYS.map((name) => [name, env[name] ?? ''] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ''));
}

/** `shown`: where the person opens it. */
async function makeSignInUrl(url: string, token: string, shown: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/link`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!response.ok) {
    throw new EngineError(
      `The sign-in link could not be made (${response.status}: ${(await response.text()).slice(0, 300)}); engine.log in the home may say why.`,
    );
  }
  const { pathname, search } = new URL(LinkAnswer.parse(await response.json()).url);
  return new URL(`${pathname}${search}`, shown).href;
}
