import { inWorkerd } from './vitest.in-workerd.ts';

/** The worker as it is: its own entry. */
export default inWorkerd({
  name: 'worker:objects',
  include: 'test/objects/**/*.test.ts',
  main: 'src/index.ts',
  bindings: {
    FILEPATH_ORIGINS: 'http://localhost:4280,http://192.168.7.7:4280',
    ANTHROPIC_API_KEY: 'sk-ant-canary-0123456789',
    // Nobody answers there: the list of models is the built-in one.
    OPENROUTER_BASE_URL: 'http://127.0.0.1:9/api/v1',
    LITECLAW_MODEL: 'offline/demo',
    LITECLAW_MESSAGES_PER_MINUTE: '8',
    LITECLAW_EXTENSIONS: 'test.one,test.two@1.0.0',
  },
});
