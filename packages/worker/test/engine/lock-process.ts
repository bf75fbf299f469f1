import { lockHome } from '../../engine/index.ts';

const [home = ''] = process.argv.slice(2);
try {
  lockHome(home);
  process.stdout.write('held');
  process.stdin.resume();
} catch {
  process.stdout.write('refused');
}
