import { describeExecutor } from './describe-executor.ts';

describeExecutor('[RUN30] the executor sandbox', {
  kind: 'sandbox',
  options: () => ({ env: process.env }),
  config: {},
  leftovers: async () => [],
});
