import { type AgentEntry, CATALOG } from '@filepath/protocol';
import { CLAUDE_HANDS, CODEX_HANDS, type Hands } from './hands.ts';

/** What a test knows of one CLI beside its entry in the catalog. */
export type Cli = {
  readonly hands: Hands;
  readonly model: string;
  /** What the runner makes of the entry's `env`, for a model server without a gateway before it. */
  readonly env: (url: string, key: string) => Record<string, string>;
};

const CLIS: Record<string, Cli> = {
  'claude-code': {
    hands: CLAUDE_HANDS,
    model: 'claude-sonnet-4',
    env: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
  },
  codex: { hands: CODEX_HANDS, model: 'scripted-model', env: () => ({}) },
};

export function cliOf(type: string): Cli & { entry: AgentEntry; program: string } {
  const cli = CLIS[type];
  const entry = CATALOG.find((one) => one.type === type);
  if (!cli || !entry || !('command' in entry.driver)) {
    throw new Error(`no test knows the CLI of ${type}`);
  }
  return { ...cli, entry, program: entry.driver.command?.[0] ?? '' };
}
