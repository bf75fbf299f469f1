import type { AgentEntry } from '../entry.ts';

export const cursor: AgentEntry = {
  type: 'cursor',
  name: 'Cursor',
  description: "Cursor's agent mode via CLI. IDE-grade code intelligence.",
  icon: 'mouse-pointer',
  defaultModel: 'claude-sonnet-4',
  driver: { kind: 'acp', command: ['cursor-agent', 'acp'] },
  install: {
    from: 'person',
    hint: "Cursor's CLI is not on npm: install it as cursor.com/cli says, so that cursor-agent is in /usr/local/bin",
  },
  metered: false,
  hosts: ['*.cursor.sh', '*.cursor.com'],
};
