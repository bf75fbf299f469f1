import { type AgentConfig, type AgentEntry, CATALOG } from '@filepath/protocol';
import type { ModelRequest } from '@filepath/testkit';
import { ADAPTERS } from './adapters.ts';
import {
  CLAUDE_HANDS,
  CODEX_HANDS,
  GEMINI_HANDS,
  type Hands,
  OPENCODE_HANDS,
  QWEN_HANDS,
} from './hands.ts';

/** What a test knows of one CLI beside its entry in the catalog. */
export type Cli = {
  readonly hands: Hands;
  readonly model: string;
  /** What the runner makes of the entry's `env`, for a model server without a gateway before it. */
  readonly env: (url: string, key: string) => Record<string, string>;
  /** It passes the gateway by: its key, where its model is, and that it may go there. */
  readonly direct?: (url: string, key: string) => AgentConfig;
  /** Which of its calls are its work, if it makes others that offer tools too. */
  readonly mainLine?: (request: ModelRequest) => boolean;
};

const CLIS: Record<string, Cli> = {
  'claude-code': {
    hands: CLAUDE_HANDS,
    model: 'claude-sonnet-4',
    env: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
  },
  codex: { hands: CODEX_HANDS, model: 'scripted-model', env: () => ({}) },
  opencode: { hands: OPENCODE_HANDS, model: 'claude-sonnet-4', env: () => ({}) },
  qwen: {
    hands: QWEN_HANDS,
    model: 'scripted-model',
    env: envOf('qwen'),
    // It notes what it has learned by an agent of its own.
    mainLine: ({ tools }) => tools.includes('agent'),
  },
  gemini: {
    hands: GEMINI_HANDS,
    model: 'gemini-2.5-pro',
    env: () => ({}),
    direct: (url, key) => ({
      allowUnmetered: true,
      network: { policy: 'allowlist', allow: [new URL(url).host] },
      // The model of a test is on this machine, where nothing is reached by a proxy unless that is said.
      envVars: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, NO_PROXY: '', no_proxy: '' },
    }),
  },
  'claude-acp': { hands: CLAUDE_HANDS, model: 'claude-sonnet-4', env: envOf('claude-acp') },
  'codex-acp': { hands: CODEX_HANDS, model: 'scripted-model', env: envOf('codex-acp') },
};

export function cliOf(type: string): Cli & { entry: AgentEntry; program: string } {
  const cli = CLIS[type];
  const entry = [...CATALOG, ...ADAPTERS].find((one) => one.type === type);
  if (!cli || !entry || !('command' in entry.driver)) {
    throw new Error(`no test knows the CLI of ${type}`);
  }
  return { ...cli, entry, program: entry.driver.command?.[0] ?? '' };
}

/** Without tools a model is asked for a title. */
export function withTools({ tools }: ModelRequest): boolean {
  return tools.length > 0;
}

/** The variables of an entry, filled in as the runner does. */
function envOf(type: string): Cli['env'] {
  return (url, key) => {
    const { entry, model } = cliOf(type);
    const filled = (text: string): string =>
      text.replaceAll('{baseUrl}', url).replaceAll('{apiKey}', key).replaceAll('{model}', model);
    return Object.fromEntries(
      Object.entries(entry.env ?? {}).map(([name, text]) => [name, filled(text)]),
    );
  };
}
