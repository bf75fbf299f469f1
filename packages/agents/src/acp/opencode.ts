import { join } from 'node:path';
import { formatFor, type WireFormat } from '@filepath/protocol';
import type { Surroundings } from '../driver/program.ts';

/** The provider packages that opencode brings, by the protocol that they speak, and where the gateway speaks it. */
const PROVIDERS: Readonly<Record<WireFormat, { npm: string; path: string }>> = {
  anthropic: { npm: '@ai-sdk/anthropic', path: '/anthropic/v1' },
  'openai-responses': { npm: '@ai-sdk/openai', path: '/openai/v1' },
  'openai-chat': { npm: '@ai-sdk/openai-compatible', path: '/openai/v1' },
};
const CONTEXT = 200_000;
const MAX_OUTPUT = 32_000;

/**
 * opencode's configuration for one provider, the gateway. It is given by environment, which wins over what a repository
 * says in its own opencode.json.
 */
export function opencodeEnv({ context, permissions, cwd }: Surroundings): Record<string, string> {
  const { env } = context;
  const model = env['FILEPATH_MODEL'] ?? '';
  const { npm, path } = PROVIDERS[formatFor(model)];
  const maxTokens = Number(env['FILEPATH_MAX_TOKENS'] ?? MAX_OUTPUT) || MAX_OUTPUT;
  const config = {
    model: `filepath/${model}`,
    small_model: `filepath/${model}`,
    enabled_providers: ['filepath'],
    provider: {
      filepath: {
        npm,
        name: 'filepath',
        options: {
          baseURL: `${env['FILEPATH_BASE_URL'] ?? ''}${path}`,
          apiKey: '{env:FILEPATH_API_KEY}',
        },
        models: { [model]: { name: model, limit: { context: CONTEXT, output: maxTokens } } },
      },
    },
    // What a repository says to the model, and not to opencode.
    instructions: [join(cwd, 'AGENTS.md'), join(cwd, 'CLAUDE.md')],
    autoupdate: false,
    share: 'disabled',
    // A full context is told as a handoff; opencode would say nothing of having compacted it.
    compaction: { auto: false },
    permission: permissions === 'allow' ? 'allow' : ASKED,
  };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    // A repository's own configuration could name programs and plugins to run.
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_PURE: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  };
}

/** It never passes on what its sub-agents ask, and waits for ever: where a person is asked it has none. */
const ASKED = {
  edit: 'ask',
  bash: 'ask',
  webfetch: 'ask',
  external_directory: 'ask',
  doom_loop: 'ask',
  task: 'deny',
};
