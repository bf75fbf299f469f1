import { Api, follow, type Instance, isType, startInstance } from '@filepath/testkit';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { bodyOf, upTo } from './support.ts';

const LINES = 2000;

/** 2,000 lines of 100 kB. */
const FLOOD = `line=$(head -c 100000 /dev/zero | tr '\\0' x)
n=1
while [ $n -le ${LINES} ]; do
  printf '{"type":"text","content":"%d %s"}\\n' "$n" "$line"
  n=$((n + 1))
done
printf '{"type":"done"}\\n'`;

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** A viewer that opens the feed and never reads from its socket. */
function deafViewer(port: number, token: string, thread: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `GET /api/thread/${thread}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
          `Authorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
    });
    socket.once('error', reject);
    socket.once('data', (data) => {
      if (!data.toString().startsWith('HTTP/1.1 101')) reject(new Error(data.toString()));
      socket.pause();
      resolve(() => {
        socket.destroy();
      });
    });
  });
}

/** Lets 200 MB pass to a viewer that reads; gives the most memory that the engine had meanwhile, in MB. */
async function flood(instance: Instance, deaf: boolean): Promise<number> {
  const api = new Api(instance);
  const { node } = await api.agent(['sh', '-c', FLOOD]);
  const close = deaf ? await deafViewer(instance.port, instance.token, node.id) : () => undefined;
  const feed = follow(instance, node.id);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(instance.enginePid()));
  }, 50);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  clearInterval(watch);
  close();
  feed.close();
  const texts = feed.events.filter((event) => bodyOf(event)['type'] === 'text');
  expect(texts.map((event) => Number.parseInt(String(bodyOf(event)['content']), 10))).toEqual(
    upTo(LINES),
  );
  return peak;
}

it('[F14] a viewer that stops reading while 200 MB pass costs bounded memory; others see everything', async () => {
  await using instance = await startInstance();
  const without = await flood(instance, false);
  const withDeaf = await flood(instance, true);
  process.stdout.write(
    `engine at its peak: ${without.toFixed(0)} MB without, ${withDeaf.toFixed(0)} MB with a deaf viewer\n`,
  );
  expect(withDeaf - without).toBeLessThan(64);
});
