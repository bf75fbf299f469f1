import { startEngine } from '../../engine/index.ts';

const [home = '', dist = ''] = process.argv.slice(2);
const engine = await startEngine({ home, host: '127.0.0.1', port: 0, bindings: {}, dist });
process.stdout.write(`${engine.pid()}\n`);
