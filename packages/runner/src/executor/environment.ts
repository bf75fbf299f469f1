import type { AgentEntry, StartOrder } from '@filepath/protocol';
import { entryEnvironment } from '../catalog/entry-environment.ts';
import { GATEWAY_URL, PROXY_VARIABLES } from '../egress/way-out.ts';
import { Refusal } from './executor.ts';

/** The kernel takes strings below 128 KiB; the first line on stdin has the task whole. */
const TASK_BYTES = 96 * 1024;
const STRING_BYTES = 128 * 1024 - 1;
const TOTAL_BYTES = 1536 * 1024;

const HOME = '/home/agent';

/** What an agent installs for itself comes first, then what the operator has for all; what filepath brings stands in nobody's way. */
export const searchPath = (system: string): string =>
  `${HOME}/.local/bin:/opt/filepath/tools/bin:${system}:/opt/filepath/bin`;

/** Where neither the agent's configuration nor its image says otherwise. */
export const ENVIRONMENT_DEFAULTS = {
  PATH: searchPath('/usr/local/bin:/usr/bin:/bin'),
  LANG: 'C.UTF-8',
  // What git commits as where nothing else says who does.
  EMAIL: 'agent@filepath.invalid',
} as const;

/** Where programs keep what is the user's: in the home, whatever a repository brings under the same names. */
const IN_HOME: readonly (readonly [string, string])[] = [
  ['XDG_CONFIG_HOME', `${HOME}/.config`],
  ['XDG_DATA_HOME', `${HOME}/.local/share`],
  ['XDG_STATE_HOME', `${HOME}/.local/state`],
  ['XDG_CACHE_HOME', `${HOME}/.cache`],
  ['CLAUDE_CONFIG_DIR', `${HOME}/.claude`],
  ['CODEX_HOME', `${HOME}/.codex`],
  ['NPM_CONFIG_PREFIX', `${HOME}/.local`],
];

/** What the agent finds in its environment. The catalog's word counts before a person's: it carries keys and where they go. */
export function agentEnvironment(order: StartOrder, entry: AgentEntry): Map<string, string> {
  const { systemPrompt, maxTokens, permissions, envVars } = order.config;
  const environment = new Map<string, string>([
    ...Object.entries(ENVIRONMENT_DEFAULTS),
    ...PROXY_VARIABLES,
    ...IN_HOME,
    ...Object.entries(envVars ?? {}),
    ...entryEnvironment(entry, order),
    ['HOME', HOME],
    ['FILEPATH_TASK', truncateUtf8(order.task.replaceAll('\0', ''), TASK_BYTES)],
    ['FILEPATH_API_KEY', order.apiKey],
    ...(order.fresh === true ? [['FILEPATH_FRESH', '1'] as const] : []),
    ['FILEPATH_AGENT_ID', order.thread],
    ['FILEPATH_SESSION_ID', order.session],
    ['FILEPATH_MODEL', order.model],
    ['FILEPATH_BASE_URL', GATEWAY_URL],
    ['FILEPATH_PERMISSIONS', permissions ?? 'allow'],
    ...(systemPrompt === undefined ? [] : [['FILEPATH_SYSTEM_PROMPT', systemPrompt] as const]),
    ...(maxTokens === undefined ? [] : [['FILEPATH_MAX_TOKENS', String(maxTokens)] as const]),
  ]);
  let total = 0;
  for (const [name, value] of environment) {
    const bytes = Buffer.byteLength(value) + name.length + 2;
    total += bytes;
    if (bytes > STRING_BYTES) {
      throw new Refusal(`the variable ${name} is ${bytes} bytes: the system takes 128 KiB`);
    }
  }
  if (total > TOTAL_BYTES) {
    throw new Refusal(`the variables of the agent are ${total} bytes: at most ${TOTAL_BYTES}`);
  }
  return environment;
}

/** Cuts at a character's boundary. */
export function truncateUtf8(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
