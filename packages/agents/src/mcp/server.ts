import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { MAX_WAIT_SECONDS } from '@filepath/protocol';
import type { LoopTool } from '@filepath/loop';
import { treeTools } from '../tree/tools.ts';
import { MCP_NAME, MCP_WAIT } from './registration.ts';

/** The abilities of an agent in a tree, for a CLI that speaks the Model Context Protocol. Runs until its stdin ends. */
export async function serveMcp(env: NodeJS.ProcessEnv): Promise<void> {
  const baseUrl = env['FILEPATH_BASE_URL'];
  const apiKey = env['FILEPATH_API_KEY'];
  if (!baseUrl || !apiKey) throw new Error('FILEPATH_BASE_URL and FILEPATH_API_KEY are not set.');
  const tools = treeTools({
    gateway: { baseUrl, apiKey },
    longestWait: Number(env[MCP_WAIT]) || MAX_WAIT_SECONDS,
    waits: () => undefined,
  });
  const ended = Promise.withResolvers<void>();
  process.stdin.once('close', () => ended.resolve());
  serveStdio(() => {
    const server = new McpServer({ name: MCP_NAME, version: '1' });
    for (const tool of tools) register(server, tool);
    return server;
  });
  await ended.promise;
}

function register(server: McpServer, tool: LoopTool): void {
  const { name, description, input, readOnly } = tool;
  const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false };
  const config = { description, inputSchema: input, annotations };
  server.registerTool(name, config, async (given: unknown, context) => {
    const { signal, id } = context.mcpReq;
    const { ok, text } = await tool
      .run(given, { id: String(id), signal })
      .catch((error: unknown) => ({ ok: false, text: wordsOf(error) }));
    return { content: [{ type: 'text', text }], ...(ok ? {} : { isError: true }) };
  });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
