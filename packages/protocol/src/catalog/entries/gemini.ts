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
  env: {
    GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/home/agent/.filepath/gemini-settings.json',
    GEMINI_CLI_TRUSTED_FOLDERS_PATH: '/home/agent/.filepath/gemini-folders.json',
  },
  // Settings of a repository could name another address for its model traffic, or programs to run.
  files: {
    '.filepath/gemini-settings.json':
      '{"security":{"folderTrust":{"enabled":true}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}',
    '.filepath/gemini-folders.json': '{"/workspace":"DO_NOT_TRUST"}',
  },
};
