import { inWorkerd } from './vitest.in-workerd.ts';

/** Sign-in and the index, behind an entry of their own. */
export default inWorkerd({
  name: 'worker:workerd',
  include: 'test/workerd/**/*.test.ts',
  main: 'test/workerd/auth-worker.ts',
  bindings: { FILEPATH_ORIGINS: 'http://localhost:4280,https://agents.example' },
});
