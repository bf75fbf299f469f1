import type { AgentEvent } from '@filepath/protocol';
import type { LoopTool, ToolResult } from '@filepath/loop';
import type { Kit } from '../../../src/native/kit.ts';
import { place } from '../native-agent.ts';

export function kit(baseUrl = 'http://127.0.0.1:9/gateway'): Kit & { readonly said: AgentEvent[] } {
  const said: AgentEvent[] = [];
  return {
    place: place(),
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    emit: (event) => void said.push(event),
    agentType: 'shelley',
    model: 'some-model',
    called: () => false,
    gateway: { baseUrl, apiKey: 'fpk_test' },
    said,
  };
}

/** As the loop runs it: what it throws is a failure. */
export async function use(
  tool: LoopTool,
  input: unknown,
  signal = new AbortController().signal,
): Promise<ToolResult> {
  try {
    return await tool.run(input, { id: 'call_1', signal });
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}
