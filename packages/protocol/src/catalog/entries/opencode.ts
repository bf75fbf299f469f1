import type { AgentEntry } from '../entry.ts';

export const opencode: AgentEntry = {
  type: 'opencode',
  name: 'OpenCode',
  description: 'Open-source coding agent, over the Agent Client Protocol.',
  icon: 'square-terminal',
  defaultModel: 'claude-sonnet-4',
  driver: { kind: 'acp', command: ['opencode', 'acp'] },
  install: { from: 'npm', package: 'opencode-ai', version: '1.18.33', scripts: true },
  metered: true,
  steers: true,
};
