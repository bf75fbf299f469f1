import { join } from 'node:path';
import type { Surroundings } from '../driver/program.ts';
import { LONG_WAIT, MCP_NAME, MCP_NEEDS, MCP_WAIT, mcpCommand } from '../mcp/registration.ts';
import { amp } from './amp.ts';

/** How one CLI of the dialect is started, and where it differs. */
export type Dialect = {
  /** Options after the command. `resume` is the id of its own session. */
  readonly args: (surroundings: Surroundings, resume: string | undefined) => string[];
  readonly env: (surroundings: Surroundings) => Record<string, string>;
  /** It says `session_state_changed`: a turn ends with `idle`, not with the first `result`. */
  readonly states: boolean;
  /** It answers control requests: an interrupt is asked for, not signalled. */
  readonly controls: boolean;
  /** A turn ends with the message that the model ends by itself; a result comes with the end of the process. */
  readonly stops?: true;
  /** A message is given to it as a list of blocks. */
  readonly blocks?: true;
};

/** Tools of Claude Code that need a process that never ends, or leave the workspace. */
const LEFT_OUT = 'CronCreate,CronDelete,CronList,ScheduleWakeup,EnterWorktree,ExitWorktree';

/** The key is no argument: the CLI fills it in from its own environment. */
function mcpServer() {
  const env = Object.fromEntries(MCP_NEEDS.map((name) => [name, `\${${name}}`]));
  return { type: 'stdio', ...mcpCommand(), env: { ...env, [MCP_WAIT]: `${LONG_WAIT}` } };
}

const claude: Dialect = {
  args: ({ context, permissions, cwd }, resume) => {
    const model = modelOf(context.env['FILEPATH_MODEL']);
    const prompt = context.env['FILEPATH_SYSTEM_PROMPT'] ?? '';
    return [
      '-p',
      '--output-format',
      'stream-json',
      '--input-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      '--replay-user-messages',
      '--permission-prompt-tool',
      'stdio',
      '--permission-mode',
      permissions === 'allow' ? 'bypassPermissions' : 'manual',
      '--disallowedTools',
      LEFT_OUT,
      // Settings of the repository could name another address for the model's traffic, or programs to run.
      '--setting-sources',
      'user',
      // Without them its CLAUDE.md is read only as that of a further folder.
      '--add-dir',
      cwd,
      // No other server: one that a repository names could take the place of this one.
      '--mcp-config',
      JSON.stringify({ mcpServers: { [MCP_NAME]: mcpServer() } }),
      '--strict-mcp-config',
      '--allowedTools',
      `mcp__${MCP_NAME}`,
      ...(model === '' ? [] : ['--model', model]),
      ...(prompt === '' ? [] : ['--append-system-prompt', prompt]),
      ...(resume === undefined ? [] : ['--resume', resume]),
    ];
  },
  env: ({ context, home }) => {
    const maxTokens = context.env['FILEPATH_MAX_TOKENS'];
    const model = modelOf(context.env['FILEPATH_MODEL']);
    return {
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
      MCP_TOOL_TIMEOUT: `${(LONG_WAIT + 60) * 1000}`,
      ...(maxTokens === undefined ? {} : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: maxTokens }),
      // A model that is not Anthropic's stands alone: the CLI's small model would be another provider's.
      ...(model === '' || model.startsWith('claude')
        ? {}
        : { ANTHROPIC_DEFAULT_HAIKU_MODEL: model }),
    };
  },
  states: true,
  controls: true,
};

const DIALECTS: Record<string, Dialect> = { claude, amp };

/** By the name of the program. */
export function dialectOf(program: string): Dialect {
  return DIALECTS[program] ?? claude;
}

/** The CLI talks with one provider, so that it knows models without that provider's name. */
export function modelOf(model: string | undefined): string {
  return (model ?? '').replace(/^anthropic\//, '');
}
