import { join } from 'node:path';
import type { Surroundings } from '../driver/program.ts';
import { LONG_WAIT, MCP_NAME, MCP_NEEDS, MCP_WAIT, mcpCommand } from '../mcp/registration.ts';
import { houseRules } from './house-rules.ts';

const PROVIDER = 'filepath';

/** Options of `codex app-server`: they win over what a file in the home or the repository says. */
export function codexArgs(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string[] {
  const base = `${env['FILEPATH_BASE_URL'] ?? ''}/openai/v1`;
  const provider = [
    'name="filepath"',
    `base_url=${JSON.stringify(base)}`,
    'env_key="FILEPATH_API_KEY"',
    'wire_api="responses"',
    'requires_openai_auth=false',
  ].join(',');
  return [
    'app-server',
    '-c',
    `model_provider=${JSON.stringify(PROVIDER)}`,
    '-c',
    `model_providers.${PROVIDER}={${provider}}`,
    '-c',
    'check_for_update_on_startup=false',
    '-c',
    // The settings of the repository could name programs to run.
    `projects={${JSON.stringify(cwd)}={trust_level="untrusted"}}`,
    '-c',
    'analytics.enabled=false',
    '-c',
    // The provider would run it: past the agent's network policy, and at a cost that no budget can bound.
    'web_search="disabled"',
    '-c',
    `mcp_servers={${MCP_NAME}=${mcpServer()}}`,
  ];
}

/** The key is no argument: the server has it from codex's environment. */
function mcpServer(): string {
  const { command, args } = mcpCommand();
  const list = (words: readonly string[]) => `[${words.map((w) => JSON.stringify(w)).join(',')}]`;
  const server = [
    `command=${JSON.stringify(command)}`,
    `args=${list(args)}`,
    `env_vars=${list(MCP_NEEDS)}`,
    `env={${MCP_WAIT}=${JSON.stringify(`${LONG_WAIT}`)}}`,
    'default_tools_approval_mode="approve"',
    `tool_timeout_sec=${LONG_WAIT + 60}`,
  ];
  return `{${server.join(',')}}`;
}

export function codexEnv({ home }: Pick<Surroundings, 'home'>): Record<string, string> {
  return { CODEX_HOME: join(home, '.codex') };
}

/** What a thread of codex begins or goes on with. */
export function threadSettings({ context, cwd, permissions }: Surroundings) {
  const told = [houseRules(cwd), context.env['FILEPATH_SYSTEM_PROMPT']];
  const instructions = told.filter((text) => text !== null && text !== undefined).join('\n\n');
  return {
    cwd,
    model: modelOf(context.env['FILEPATH_MODEL']),
    modelProvider: PROVIDER,
    // codex's own sandbox does not start within ours, which is the bound.
    sandbox: 'danger-full-access',
    approvalPolicy: permissions === 'allow' ? 'never' : 'untrusted',
    ...(instructions === '' ? {} : { developerInstructions: instructions }),
  };
}

export function modelOf(model: string | undefined): string | null {
  const name = (model ?? '').replace(/^openai\//, '');
  return name === '' ? null : name;
}
