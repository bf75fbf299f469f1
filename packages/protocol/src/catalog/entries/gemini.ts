import type { AgentEntry } from '../entry.ts';

export const gemini: AgentEntry = {
  type: 'gemini',
  name: 'Gemini',
  description: "Google's coding agent, over the Agent Client Protocol.",
  icon: 'sparkles',
  defaultModel: '',
  driver: { kind: 'acp', command: ['gemini', '--acp'] },
  install: { from: 'npm', package: '@google/gemini-cli', version: '0.61.0' },
  metered: false,
  hosts: ['generativelanguage.googleapis.com'],
};
