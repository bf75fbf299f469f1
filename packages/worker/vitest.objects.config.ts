import { inWorkerd } from './vitest.in-workerd.ts';

/** The worker as it is: its own entry. */
export default inWorkerd({
  name: 'worker:objects',
  include: 'test/objects/**/*.test.ts',
  main: 'src/index.ts',
  bindings: {
    FILEPATH_ORIGINS: 'http://localhost:4280',
    ANTHROPIC_API_KEY: 'sk-ant-canary-0123456789',
  },
});
