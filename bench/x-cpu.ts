import { startInstance } from '@filepath/testkit';
import { streams } from './gateway/load.ts';
import { bareWorker, ours } from './gateway/targets.ts';
import { startUpstream } from './gateway/upstream.ts';
import { percentile } from './statistics.ts';
import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const upstream = await startUpstream();
const home = execSync('mktemp -d /dev/shm/fp-XXXX').toString().trim();
const instance = await startInstance({ ANTHROPIC_API_KEY: 'key-of-the-bench', ANTHROPIC_BASE_URL: upstream.url, OPENROUTER_BASE_URL: 'http://127.0.0.1:1' }, { home });
const us = await ours(instance);
const bare = await bareWorker(upstream.url);
const barePid = Number(execSync(`pgrep -P ${process.pid} workerd`).toString().trim().split('\n')[0]);
const cpu = (pid: number) => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
const wish = { events: 2, gapMs: 2, bytes: 0 };
const lv = { streams: 1, each: 150, spreadMs: 0, pauseMs: 5 };
await streams(us, lv, wish); await streams(bare, lv, wish);
for (let i = 0; i < 3; i++) {
  let c = cpu(instance.enginePid());
  const a = (await streams(us, lv, wish)).map((t) => t.firstMs);
  const ca = (cpu(instance.enginePid()) - c) / 150; c = cpu(barePid);
  const b = (await streams(bare, lv, wish)).map((t) => t.firstMs);
  const cb = (cpu(barePid) - c) / 150;
  const s = (v: number[]) => [0, 10, 25, 50].map((p) => percentile(v, p).toFixed(2)).join(' ');
  console.log('ours', s(a), 'cpu', ca.toFixed(2), '| bare', s(b), 'cpu', cb.toFixed(2));
}
await bare.stop(); await us.stop(); await instance[Symbol.asyncDispose](); execSync(`rm -rf ${home}`); await upstream.stop(); process.exit(0);
