import { Api, follow, isType, startInstance } from '@filepath/testkit';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { bodyOf } from './support.ts';

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

it('[F14] a viewer that stops reading while 200 MB pass costs bounded memory; others see everything', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { node } = await api.agent(['sh', '-c', FLOOD]);
  const before = residentMb(instance.enginePid());
  const close = await deafViewer(instance.port, instance.token, node.id);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(instance.enginePid()));
  }, 100);
  await feed.until(isType('exit'));
  clearInterval(watch);
  close();
  feed.close();
  process.stdout.write(`engine: ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at its peak\n`);
  const texts = feed.events.filter((event) => bodyOf(event)['type'] === 'text');
  expect(texts.map((event) => Number.parseInt(String(bodyOf(event)['content']), 10))).toEqual(
    Array.from({ length: LINES }, (_, i) => i + 1),
  );
  expect(peak - before).toBeLessThan(150);
}, 180_000);
