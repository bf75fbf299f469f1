import type { AgentEntry } from '../entry.ts';

export const amp: AgentEntry = {
  type: 'amp',
  name: 'Amp',
  description: "Sourcegraph's agent. Large codebase navigation, cross-repo changes.",
  icon: 'zap',
  defaultModel: 'claude-sonnet-4',
  driver: { kind: 'claude', command: ['amp'] },
  install: {
    from: 'npm',
    package: '@ampcode/cli',
    version: '0.0.1790142911-g7618fb',
    scripts: true,
  },
  metered: false,
  hosts: ['ampcode.com', '*.ampcode.com'],
};
