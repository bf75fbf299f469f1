import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSandbox } from '../src/index.ts';
import { Bench, later, runnerProcess, shellOrder, tempDir } from './setup.ts';

/** What an agent that runs this script prints. */
async function output(script: string, envVars: Record<string, string> = {}): Promise<string[]> {
  const bench = await Bench.open();
  const order = shellOrder('', { config: { command: ['sh', '-c', script], envVars } });
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('exit', () => thread.exit !== undefined);
  expect(thread.exit?.stderr ?? '').not.toMatch(/^bwrap/m);
  return thread.texts;
}

describe('the sandbox', () => {
  it('passes its own self-test', async () => {
    expect(await checkSandbox()).toEqual({ available: true });
  });

  it('[RUN11] shows no file of the host but the system programs', async () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'secret'), 'secret', { mode: 0o644 });
    const lines = await output(
      `cat ${dir}/secret 2>/dev/null && echo open; ls -A /root /mnt /media /var /sys 2>/dev/null
      ls -A /home /home/agent /run /tmp; cat /etc/shadow 2>/dev/null; echo end`,
    );
    expect(lines).toEqual(['/home:', 'agent', '/home/agent:', '/run:', 'filepath', '/tmp:', 'end']);
  });

  it('[RUN11] has no network but its own loopback', async () => {
    const server = createServer((_request, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    later(() => server.close());
    const { port } = server.address() as AddressInfo;
    const lines = await output(
      `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '
      git ls-remote http://127.0.0.1:${port}/x >/dev/null 2>&1 && echo reached; tail -n +2 /proc/net/route; echo end`,
    );
    expect(lines).toEqual(['lo', 'end']);
  });

  it('can be written in workspace, home and temporary folders only', async () => {
    const lines = await output(
      `for place in / /usr /usr/bin /etc /bin /home /proc /workspace /home/agent /tmp /run; do
        ( : > $place/x ) 2>/dev/null && echo $place; done; echo end`,
    );
    expect(lines).toEqual(['/workspace', '/home/agent', '/tmp', '/run', 'end']);
  });

  it('[RUN13] keeps the environment of its maker and every secret out of /proc/1', async () => {
    const lines = await output(
      `tr '\\0' '\\n' < /proc/1/environ; echo --; grep -c "$CANARY" /proc/1/cmdline; echo end`,
      { CANARY: 'canary-value' },
    );
    expect(lines).toEqual(['PATH=/usr/bin:/bin', '--', '0', 'end']);
  });

  it('runs without capabilities, as no user of the host, unable to gain any', async () => {
    const lines = await output(
      `grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr '\\t' ' '
      unshare --user true 2>/dev/null && echo nested; id -u`,
    );
    expect(lines.slice(0, 3)).toEqual([
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
    ]);
    expect(Number(lines[3])).toBeGreaterThan(20000);
  });

  it('inherits no descriptor, not even one that the runner was started with', async () => {
    const bench = await Bench.open({ idle: true });
    const file = join(tempDir(), 'open-file');
    writeFileSync(file, 'content');
    runnerProcess(bench, ['sh', '-c', `exec 4< ${file}; exec "$@"`, 'sh']);
    const order = shellOrder('ls -l /proc/self/fd > /tmp/list; sed -n "s/.* -> //p" /tmp/list');
    const thread = bench.worker.thread(order.thread);
    bench.worker.order(order);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    const ours = /\/run\/1\/(in|err|out)$|^\/tmp\/list$|^\/proc\/\d+\/fd$|^\/dev\/null$/;
    expect(thread.texts.filter((line) => !ours.test(line))).toEqual([]);
    expect(thread.texts.length).toBeGreaterThan(3);
  });

  it('gives the agent no file as stdout, so that it cannot cut or stretch its spool', async () => {
    const lines = await output(
      `echo one; echo two > /dev/stdout; perl -e 'print truncate(STDOUT, 1 << 40) ? "cut" : "kept", "\\n"'`,
    );
    expect(lines).toEqual(['one', 'two', 'kept']);
  });

  it('takes options only from the runner: a NUL in a variable is refused', async () => {
    const bench = await Bench.open();
    const envVars = { X: 'a\0--bind\0/\0/host' };
    const order = shellOrder('', { config: { command: ['ls', '/host'], envVars } });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('refused', () => thread.refused !== undefined);
    expect(thread.refused).toMatch(/NUL/);
  });
});
