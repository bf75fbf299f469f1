import type { AgentEntry } from '../entry.ts';

export const pi: AgentEntry = {
  type: 'pi',
  name: 'Pi',
  description: 'Research and analysis. Deep dives into docs, APIs, codebases.',
  icon: 'search',
  defaultModel: 'claude-sonnet-4',
  driver: { kind: 'native', profile: 'pi' },
  metered: true,
};
