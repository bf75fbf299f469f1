import type { AgentEntry } from '../entry.ts';

export const claudeCode: AgentEntry = {
  type: 'claude-code',
  name: 'Claude Code',
  description: "Anthropic's agentic coding tool. Complex multi-file changes.",
  icon: 'bot',
  defaultModel: 'claude-sonnet-4',
  driver: { kind: 'claude', command: ['claude'] },
  install: { from: 'npm', package: '@anthropic-ai/claude-code', version: '2.1.312', scripts: true },
  metered: true,
  env: { ANTHROPIC_BASE_URL: '{baseUrl}/anthropic', ANTHROPIC_API_KEY: '{apiKey}' },
};
