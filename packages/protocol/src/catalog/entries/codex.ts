import type { AgentEntry } from '../entry.ts';

export const codex: AgentEntry = {
  type: 'codex',
  name: 'Codex',
  description: "OpenAI's coding agent. Strong at Python, scripting, data.",
  icon: 'scroll',
  defaultModel: 'o3',
  driver: { kind: 'codex', command: ['codex'] },
  install: { from: 'npm', package: '@openai/codex', version: '0.166.0' },
  metered: true,
};
