import {
  Api,
  follow,
  isType,
  scriptAgent,
  shimPids,
  startInstance,
  tempDir,
} from '@filepath/testkit';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';

const CLI = fileURLToPath(new URL('../packages/cli/dist/filepath.js', import.meta.url));

type Ran = { code: number; out: string; err: string };

function filepath(home: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, FILEPATH_HOME: home };
    execFile(process.execPath, [CLI, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

const SCRIPT = `printf '{"type":"text","content":"%s"}\\n' "$FILEPATH_TASK"; echo '{"type":"done"}'`;

it('[CLI5] run does one task without a browser, on an instance of its own, and prints FAP', async () => {
  using home = tempDir('filepath-home');
  const ran = await filepath(home.path, 'run', '--agent', 'custom', '--command', SCRIPT, 'hello');
  expect(ran.err).not.toContain('Error');
  expect(ran.out.trim().split('\n')).toEqual([
    '{"type":"text","content":"hello"}',
    '{"type":"done"}',
  ]);
  expect(ran.code).toBe(0);
});

it('[CLI4] an interrupted run stops its agent first', async () => {
  using home = tempDir('filepath-home');
  const script = `echo '{"type":"text","content":"ready"}'
    while read -r line; do case $line in *'"stop"'*) echo '{"type":"text","content":"bye"}'; exit;; esac; done`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.path, FILEPATH_HOME: home.path };
  const args = [CLI, 'run', '--agent', 'custom', '--command', script, 'wait'];
  const run = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(run, 'exit');
  let out = '';
  for await (const chunk of run.stdout) {
    const before = out.includes('ready');
    out += String(chunk);
    if (!before && out.includes('ready')) run.kill('SIGINT');
  }
  expect(await exited).toEqual([1, null]);
  expect(out).toContain('bye');
  expect(shimPids(home.path)).toEqual([]);
});

it('run uses the instance that is running, and fails when the agent fails', async () => {
  await using instance = await startInstance();
  const ran = await filepath(instance.home, 'run', '--agent', 'custom', '--command', 'exit 3', 'x');
  expect(ran.code).toBe(1);
  const api = new Api(instance);
  const list = z.object({ sessions: z.array(z.object({ id: z.string() })) });
  const { sessions } = await api.json(list, 'GET', '/api/session');
  await expect
    .poll(async () => (await api.tree(sessions[0]?.id ?? '')).session)
    .toMatchObject({ status: 'error' });
});

it('an export verifies, and a changed one is refused by the event that was changed', async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { node } = await api.agent(scriptAgent('stream', '1500').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  feed.close();
  const file = join(instance.home, 'thread.ndjson');
  expect(await filepath(instance.home, 'export', node.id, '-o', file)).toMatchObject({ code: 0 });
  const good = await filepath(instance.home, 'verify', file);
  expect(good).toMatchObject({ code: 0 });
  expect(good.out).toContain(`${feed.events.length} events`);

  const lines = readFileSync(file, 'utf8').split('\n');
  const changed = lines.map((line, i) =>
    i === 700 ? line.replace('"content":"', '"content":"9') : line,
  );
  writeFileSync(file, changed.join('\n'));
  const bad = await filepath(instance.home, 'verify', file);
  expect(bad.code).toBe(1);
  expect(bad.out + bad.err).toContain('event 700 is changed');
});

it('doctor says what this machine has', async () => {
  using home = tempDir('filepath-home');
  const ran = await filepath(home.path, 'doctor');
  for (const what of ['Node', 'git', 'bubblewrap', 'namespaces', 'cgroup', 'port']) {
    expect(ran.out.toLowerCase()).toContain(what.toLowerCase());
  }
});
