import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runOnce } from '../src/executor/once.ts';
import { findTool } from '../src/executor/tools.ts';
import { tempDir } from './setup.ts';

it('a command that is given up is gone with all it started, whenever that is', async () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'workspace'));
  chmodSync(dir, 0o755);
  chmodSync(join(dir, 'workspace'), 0o777);
  const results = [];
  for (let ms = 0; ms < 60; ms++) {
    const signal = AbortSignal.timeout(ms);
    const work = runOnce({
      bwrap: findTool('bwrap', process.env) ?? '',
      uid: process.getuid?.() === 0 ? 20_000 : null,
      sources: [dir],
      mounts: ([seen = '']) => ({ workspace: join(seen, 'workspace'), home: null, extra: [] }),
      environment: new Map([['PATH', '/usr/bin:/bin']]),
      command: ['/bin/sh', '-c', 'setsid sleep 1000 & sleep 1000'],
      timeoutMs: 60_000,
      signal,
    });
    const hung = delay(30_000, 'hung', { ref: false });
    const result = await Promise.race([work, hung]);
    results.push(result === 'hung' ? `hung at ${ms} ms` : 'gone');
  }
  expect(results.filter((one) => one !== 'gone')).toEqual([]);
}, 300_000);
