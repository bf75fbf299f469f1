import { RunnerId } from '@filepath/protocol';
import { startRunner } from '../src/index.ts';

/** A runner alone in its process, so that a test can kill it. Arguments: home, url. */
const [, , home = '', url = ''] = process.argv;
await startRunner({
  home,
  url,
  token: 'runner-token',
  id: RunnerId.parse('rn_local'),
  log: (event) => {
    if (event.level === 'error') process.stderr.write(`${JSON.stringify(event)}\n`);
  },
  reconnectMs: 20,
});
