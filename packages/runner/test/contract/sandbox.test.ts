import { describeExecutor } from './describe-executor.ts';

describeExecutor('sandbox', {
  kind: 'sandbox',
  options: () => ({ env: process.env }),
  config: {},
  leftovers: async () => [],
});
