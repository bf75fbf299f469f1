import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { startEngine } from '../../engine/index.ts';

/** Runs where there is no network but its own, and `hosts` is what names are looked up in. Prints what was answered. */
const [home = '', dist = '', hosts = ''] = process.argv.slice(2);
const NAME = 'flip.test';
const PUBLIC = '9.9.9.9';

let heard = 0;
const server = createServer((_request, response) => {
  heard += 1;
  response.end('from inside');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const engine = await startEngine({ home, host: '127.0.0.1', port: 0, bindings: {}, dist });

const leadsTo = (...addresses: string[]): void =>
  writeFileSync(hosts, addresses.map((address) => `${address} ${NAME}\n`).join(''));
const dial = async (by: string): Promise<string> => {
  const asked = new URLSearchParams({ by, url: `http://${NAME}:${port}/` });
  return (await fetch(`${engine.url}/dial?${asked}`)).text();
};

leadsTo('127.0.0.1');
const control = await dial('WEB_INSIDE');
const before = heard;
const answers: string[] = [];
for (let round = 0; round < 10; round += 1) {
  for (const addresses of [[PUBLIC], ['127.0.0.1'], [PUBLIC, '127.0.0.1'], ['127.0.0.1', PUBLIC]]) {
    leadsTo(...addresses);
    answers.push(await dial('WEB'));
  }
}
// While the name changes under way, too.
const turning = setInterval(() => leadsTo(Math.random() < 0.5 ? PUBLIC : '127.0.0.1'), 1);
answers.push(...(await Promise.all(Array.from({ length: 50 }, () => dial('WEB')))));
clearInterval(turning);

process.stdout.write(`${JSON.stringify({ control, answers, heard: heard - before })}\n`);
await engine.stop();
server.closeAllConnections();
server.close();
