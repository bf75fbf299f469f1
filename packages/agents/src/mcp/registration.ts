/** The name under which CLIs know filepath's tools. */
export const MCP_NAME = 'filepath';

/** How long one call of `wait_children` may take, in seconds, where the CLI lets it. */
export const MCP_WAIT = 'FILEPATH_MCP_WAIT';
export const LONG_WAIT = 600;

/** What the server needs of the agent's environment. */
export const MCP_NEEDS = ['FILEPATH_BASE_URL', 'FILEPATH_API_KEY'] as const;

/** How a CLI starts the server: this same program, in another mode. */
export function mcpCommand(): { command: string; args: string[] } {
  return { command: process.execPath, args: [process.argv[1] ?? '', 'mcp'] };
}

/** For programs that are told the values themselves, on their stdin. */
export function mcpEnv(env: NodeJS.ProcessEnv): { name: string; value: string }[] {
  return MCP_NEEDS.map((name) => ({ name, value: env[name] ?? '' }));
}
