import {
  type Budget,
  GATE_ATTEMPTS,
  type NetworkConfig,
  type NodeCreate,
} from '@filepath/protocol';
import { parseEnv } from '../text/env.ts';
import { readLimit, showLimit } from '../text/budget.ts';

type Read =
  | { readonly ok: true; readonly part: Pick<NodeCreate, 'config' | 'budget'> }
  | { readonly ok: false; readonly problems: Record<string, string> };

const LIMIT = 'Enter a number, or nothing for no limit.';
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What most agents are spawned without: limits, what they reach, what they must pass. */
export class SpawnMore {
  usd = $state('');
  tokens = $state('');
  allowUnmetered = $state(false);
  /** Empty: the parent's, or `allowlist`. */
  policy = $state<NetworkConfig['policy'] | ''>('');
  hosts = $state('');
  image = $state('');
  gates = $state('');
  attempts = $state(String(GATE_ATTEMPTS));
  /** Empty: what the policy allows is allowed. */
  permissions = $state<'' | 'ask'>('');
  env = $state('');

  /** There is a default: a field that is empty is no limit, and not the default. */
  #defaulted = false;

  prefill({ usd, tokens }: Budget): void {
    if (this.#defaulted || this.usd !== '' || this.tokens !== '') return;
    this.#defaulted = usd !== null || tokens !== null;
    this.usd = showLimit(usd);
    this.tokens = showLimit(tokens);
  }

  /** What is set, in a few words. */
  summary = $derived.by(() => {
    const gates = linesOf(this.gates).length;
    return [
      ...(this.usd.trim() === '' && this.tokens.trim() === '' ? [] : ['budget']),
      ...(this.policy === '' ? [] : [`network: ${this.policy}`]),
      ...(this.image.trim() === '' ? [] : ['image']),
      ...(gates === 0 ? [] : [gates === 1 ? '1 gate' : `${gates} gates`]),
      ...(this.permissions === '' ? [] : ['asks for permission']),
      ...(this.env.trim() === '' ? [] : ['environment']),
    ].join(' · ');
  });

  read(): Read {
    const usd = readLimit(this.usd, false);
    const tokens = readLimit(this.tokens, true);
    const env = parseEnv(this.env);
    const gates = linesOf(this.gates);
    const attempts = readLimit(this.attempts, true);
    const problems = {
      ...(usd === undefined ? { usd: LIMIT } : {}),
      ...(tokens === undefined ? { tokens: LIMIT } : {}),
      ...(env.ok ? {} : { env: env.reason }),
      ...(gates.length > 0 && typeof attempts !== 'number'
        ? { attempts: 'Enter a number from 0 to 20.' }
        : {}),
    };
    if (usd === undefined || tokens === undefined || !env.ok || Object.keys(problems).length > 0)
      return { ok: false, problems };
    const hosts = linesOf(this.hosts.replaceAll(',', '\n'));
    const image = this.image.trim();
    return {
      ok: true,
      part: {
        ...(usd === null && tokens === null && !this.#defaulted ? {} : { budget: { usd, tokens } }),
        config: {
          ...(image === '' ? {} : { image }),
          ...(this.permissions === '' ? {} : { permissions: this.permissions }),
          ...(this.allowUnmetered ? { allowUnmetered: true } : {}),
          ...(this.policy === ''
            ? {}
            : {
                network: {
                  policy: this.policy,
                  ...(hosts.length === 0 || this.policy === 'none' ? {} : { allow: hosts }),
                },
              }),
          ...(gates.length === 0
            ? {}
            : {
                gates: {
                  commands: gates.map((run) => ({ run })),
                  ...(typeof attempts === 'number' ? { attempts } : {}),
                },
              }),
          ...(Object.keys(env.vars).length === 0 ? {} : { envVars: env.vars }),
        },
      },
    };
  }
}

/** Fields that are behind the fold, so that it opens where one of them is wrong. */
export const MORE_FIELDS: Readonly<Record<string, string>> = {
  'budget.usd': 'usd',
  'budget.tokens': 'tokens',
  'config.network': 'network',
  'config.network.allow': 'hosts',
  'config.image': 'image',
  'config.gates': 'gates',
  'config.gates.attempts': 'attempts',
  'config.allowUnmetered': 'unmetered',
  'config.envVars': 'env',
};
