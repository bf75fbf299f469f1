import { EngineError } from '@filepath/worker/engine';

const WORDS = [
  'LITECLAW_MODEL',
  'LITECLAW_MODEL_CONFIG_ID',
  'LITECLAW_SYSTEM_PROMPT',
  'LITECLAW_ALLOWED_EMAILS',
  'LITECLAW_ADMIN_SECRET',
  'LITECLAW_EXTENSIONS',
  'LITECLAW_EXTENSIONS_CATALOG',
  // Of the runner's agents too; it refuses what is no list of hosts.
  'FILEPATH_EGRESS_PRIVATE',
] as const;

/** With the least and the most that each may be. */
const NUMBERS = {
  LITECLAW_MAX_OUTPUT_TOKENS: [16, 65_536],
  LITECLAW_MAX_CONTEXT_TOKENS: [1024, 1_000_000],
  LITECLAW_TURNS: [1, 200],
  LITECLAW_MESSAGES_PER_MINUTE: [1, 10_000],
  LITECLAW_FIRST_BYTE_MS: [50, 60_000],
  LITECLAW_TOOL_CALLS: [1, 100],
  LITECLAW_TOOL_BYTES: [1024, 104_857_600],
  LITECLAW_TOOL_SECONDS: [1, 600],
  LITECLAW_WORKSPACE_DAYS: [1, 365],
} as const;

/** What the environment sets for LiteClaw, as the worker gets it. */
export function liteclawSettings(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const words = WORDS.map((name) => [name, env[name]?.trim() ?? ''] as const);
  const numbers = Object.entries(NUMBERS).map(([name, [least, most]]) => {
    const value = env[name]?.trim() ?? '';
    const fits = /^[1-9]\d{0,8}$/.test(value) && Number(value) >= least && Number(value) <= most;
    if (value !== '' && !fits)
      throw new EngineError(
        `${name} is ${JSON.stringify(value.slice(0, 200))}; give a whole number from ${least} to ${most}.`,
      );
    return [name, value] as const;
  });
  return Object.fromEntries([...words, ...numbers].filter(([, value]) => value !== ''));
}
