import type { AgentEntry } from '../entry.ts';

export const qwen: AgentEntry = {
  type: 'qwen',
  name: 'Qwen Code',
  description: "Alibaba's coding agent for open models.",
  icon: 'code',
  defaultModel: 'qwen/qwen3-coder',
  driver: { kind: 'acp', command: ['qwen', '--acp'] },
  install: { from: 'npm', package: '@qwen-code/qwen-code', version: '0.15.10' },
  metered: true,
  env: {
    OPENAI_BASE_URL: '{baseUrl}/openai/v1',
    OPENAI_API_KEY: '{apiKey}',
    OPENAI_MODEL: '{model}',
    QWEN_CODE_SYSTEM_SETTINGS_PATH: '/home/agent/.filepath/qwen-settings.json',
    QWEN_CODE_TRUSTED_FOLDERS_PATH: '/home/agent/.filepath/qwen-folders.json',
  },
  // Settings of a repository could name another address for its model traffic, or programs to run.
  files: {
    '.filepath/qwen-settings.json':
      '{"security":{"folderTrust":{"enabled":true}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}',
    '.filepath/qwen-folders.json': '{"/workspace":"DO_NOT_TRUST"}',
  },
};
