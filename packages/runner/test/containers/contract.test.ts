import { describeExecutor } from '../contract/describe-executor.ts';
import { BASE_IMAGE, containersOf } from './setup.ts';

describeExecutor('[RUN30] the executor container', {
  kind: 'container',
  options: () => ({ env: process.env }),
  config: { image: BASE_IMAGE },
  leftovers: containersOf,
});
