import { startInstance } from '@filepath/testkit';
import { streams } from './gateway/load.ts';
import { bareWorker, ours } from './gateway/targets.ts';
import { startUpstream } from './gateway/upstream.ts';
import { percentile } from './statistics.ts';
import { execSync } from 'node:child_process';
const upstream = await startUpstream();
const instance = await startInstance({ ANTHROPIC_API_KEY: 'key-of-the-bench', ANTHROPIC_BASE_URL: upstream.url, OPENROUTER_BASE_URL: 'http://127.0.0.1:1' }, process.env['SHM'] ? { home: execSync('mktemp -d /dev/shm/fp-XXXX').toString().trim() } : {});
const us = await ours(instance);
const bare = await bareWorker(upstream.url);
const wish = { events: 2, gapMs: 5, bytes: 0 };
const lv = { streams: 1, each: 60, spreadMs: 0, pauseMs: 25 };
await streams(us, lv, wish);
const trace = process.env['STRACE'] ? execSync(`(timeout 8 strace -f -y -tt -T -e trace=fsync,pwrite64,write,writev,read,readv,recvfrom,sendto,connect,accept4 -p ${instance.enginePid()} -o /tmp/g1x/strace.txt) >/dev/null 2>&1 & echo ok`) : '';
for (let i = 0; i < 3; i++) {
  const a = (await streams(us, lv, wish)).map((t) => t.firstMs);
  const b = (await streams(bare, lv, wish)).map((t) => t.firstMs);
  console.log('ours', percentile(a, 10).toFixed(2), percentile(a, 50).toFixed(2), 'bare', percentile(b, 10).toFixed(2), percentile(b, 50).toFixed(2));
}
if (process.env['HOLD']) await new Promise((r) => setTimeout(r, Number(process.env['HOLD'])));
console.log(execSync(`grep -ao "TT.*" ${instance.home}/engine.log | tail -30`).toString());
if (process.env['SHM']) execSync('rm -rf ' + instance.home); await bare.stop(); await us.stop(); await instance[Symbol.asyncDispose](); await upstream.stop(); process.exit(0);
