import type { AgentEntry } from '../entry.ts';

export const shelley: AgentEntry = {
  type: 'shelley',
  name: 'Shelley',
  description: 'Full-stack engineering agent. filepath-native reference implementation.',
  icon: 'shell',
  defaultModel: 'claude-sonnet-4',
  driver: { kind: 'native', profile: 'shelley' },
  metered: true,
};
