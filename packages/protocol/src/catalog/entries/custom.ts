import type { AgentEntry } from '../entry.ts';

export const custom: AgentEntry = {
  type: 'custom',
  name: 'Custom',
  description: 'Bring your own agent. Dockerfile that speaks the filepath protocol.',
  icon: 'box',
  defaultModel: 'claude-sonnet-4',
  driver: { kind: 'custom' },
  metered: true,
};
