import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEntry } from '@filepath/protocol';

/** Adapters of the Agent Client Protocol, as an operator would add them to the catalog, one file each. */
export const ADAPTERS: readonly AgentEntry[] = [
  {
    type: 'claude-acp',
    name: 'Claude over ACP',
    description: 'Claude Code behind its adapter for the Agent Client Protocol.',
    icon: 'bot',
    defaultModel: 'claude-sonnet-4',
    driver: { kind: 'acp', command: ['claude-agent-acp'] },
    install: {
      from: 'npm',
      package: '@agentclientprotocol/claude-agent-acp',
      version: '0.99.1',
    },
    metered: true,
    env: {
      ANTHROPIC_BASE_URL: '{baseUrl}/anthropic',
      ANTHROPIC_API_KEY: '{apiKey}',
      ANTHROPIC_MODEL: '{model}',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
  },
  {
    type: 'codex-acp',
    name: 'Codex over ACP',
    description: 'Codex behind its adapter for the Agent Client Protocol.',
    icon: 'scroll',
    defaultModel: 'o3',
    driver: { kind: 'acp', command: ['codex-acp'] },
    install: { from: 'npm', package: '@agentclientprotocol/codex-acp', version: '2.6.0' },
    metered: true,
    // The folder must be there before it starts.
    files: { '.codex/version.json': '{}' },
    env: {
      MODEL_PROVIDER: 'filepath',
      NO_BROWSER: '1',
      CODEX_CONFIG: JSON.stringify({
        model: '{model}',
        model_provider: 'filepath',
        model_providers: {
          filepath: {
            name: 'filepath',
            base_url: '{baseUrl}/openai/v1',
            env_key: 'FILEPATH_API_KEY',
            wire_api: 'responses',
          },
        },
      }),
    },
  },
];

/** Adds an adapter to the catalog of a home, by one file. Entries that filepath brings need none. */
export function addToCatalog(entry: AgentEntry, home: string): void {
  if (!ADAPTERS.includes(entry)) return;
  mkdirSync(join(home, 'catalog'), { recursive: true });
  writeFileSync(join(home, 'catalog', `${entry.type}.json`), JSON.stringify(entry));
}
