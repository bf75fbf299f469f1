import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Bench, message, processesOf, shellOrder } from './setup.ts';

describe('an agent', () => {
  it('[RUN4] [RUN5] is started, heard line by line, and its exit is told after the last line', async () => {
    const bench = await Bench.open();
    const script = 'read line; echo "$line"; echo two; echo gone >&2; printf three; exit 7';
    const order = shellOrder(script, { inputs: [{ id: 1, line: message('hello') }] });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual([message('hello'), 'two', 'three']);
    expect(thread.observed.map((body) => body.type)).toEqual(['workspace', 'started', 'exit']);
    expect(thread.exit).toMatchObject({ code: 7, reason: 'exited', stderr: 'gone\n' });
    await bench.logged(order, 'over');
    for (const name of ['order.json', 'spool', 'args']) {
      expect(existsSync(bench.runFile(order, name)), name).toBe(false);
    }
    expect(readFileSync(bench.runFile(order, 'over'), 'utf8')).toBe('ended');
  });

  it('[FAP9] finds the contract in its environment and nothing else', async () => {
    const bench = await Bench.open();
    const order = shellOrder('env | sort', {
      config: { command: ['sh', '-c', 'env | sort'], envVars: { GREETING: 'hi' } },
      apiKey: 'short',
    });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual([
      'CLAUDE_CONFIG_DIR=/home/agent/.claude',
      'CODEX_HOME=/home/agent/.codex',
      'EMAIL=agent@filepath.invalid',
      `FILEPATH_AGENT_ID=${order.thread}`,
      'FILEPATH_API_KEY=short',
      'FILEPATH_BASE_URL=http://127.0.0.1:4281/gateway',
      'FILEPATH_MODEL=offline/demo',
      'FILEPATH_PERMISSIONS=allow',
      `FILEPATH_SESSION_ID=${order.session}`,
      'FILEPATH_TASK=do it',
      'GREETING=hi',
      'HOME=/home/agent',
      'HTTPS_PROXY=http://127.0.0.1:4281',
      'HTTP_PROXY=http://127.0.0.1:4281',
      'LANG=C.UTF-8',
      'NODE_USE_ENV_PROXY=1',
      'NO_PROXY=127.0.0.1,localhost,::1',
      'NPM_CONFIG_PREFIX=/home/agent/.local',
      'PATH=/home/agent/.local/bin:/opt/filepath/tools/bin:/usr/local/bin:/usr/bin:/bin:/opt/filepath/bin',
      'PWD=/workspace',
      'XDG_CACHE_HOME=/home/agent/.cache',
      'XDG_CONFIG_HOME=/home/agent/.config',
      'XDG_DATA_HOME=/home/agent/.local/share',
      'XDG_STATE_HOME=/home/agent/.local/state',
      'http_proxy=http://127.0.0.1:4281',
      'https_proxy=http://127.0.0.1:4281',
      'no_proxy=127.0.0.1,localhost,::1',
    ]);
  });

  it('[HND5] is told that it is a fresh process, if it is one', async () => {
    const bench = await Bench.open();
    const order = shellOrder('echo "fresh: $FILEPATH_FRESH"');
    bench.worker.order({ ...order, fresh: true });
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual(['fresh: 1']);
  });

  it('[FAP8] gets a long task cut at a character in the environment and whole on stdin', async () => {
    const bench = await Bench.open();
    const task = 'ä'.repeat(200_000);
    const script = 'printf %s "$FILEPATH_TASK" | wc -c; head -n 1 | wc -c';
    const order = shellOrder(script, { task, inputs: [{ id: 1, line: task }] });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.texts).toEqual([String(96 * 1024), '400001']);
  });

  it('never shows a known secret, in any of its usual forms', async () => {
    const bench = await Bench.open();
    const secret = 'pa"ss\\wörd-1234';
    const script = `printf '%s\\n' "$SECRET"; printf '%s' "$SECRET" | base64; printf 'user:%s' "$SECRET" | base64
      printf '%s\\n' "$JSON" "$FILEPATH_API_KEY"; printf '%s\\n' "$SECRET" >&2`;
    const order = shellOrder('', {
      config: {
        command: ['sh', '-c', script],
        envVars: { SECRET: secret, JSON: `{"value":${JSON.stringify(secret)}}` },
      },
    });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    const told = thread.texts.join('\n') + (thread.exit?.stderr ?? '');
    for (const form of [secret, 'ss\\\\w', btoa('pa"ss\\w').slice(0, 8), order.apiKey]) {
      expect(told).not.toContain(form);
    }
    expect(thread.texts[0]).toBe('[redacted]');
    expect(thread.texts[4]).toBe('[redacted]');
    expect(thread.exit?.stderr).toBe('[redacted]\n');
  });

  it('[RUN1] has one process however often its start is ordered', async () => {
    const bench = await Bench.open();
    await bench.worker.until('hello', () => bench.worker.connected);
    const order = shellOrder('echo up; read line');
    const number = bench.worker.order(order);
    for (let i = 0; i < 5; i++) bench.worker.sendOrder(number);
    bench.worker.dropControl();
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.lines.length > 0);
    bench.worker.sendOrder(number);
    await bench.worker.until('taken', () => (bench.worker.orders[0]?.taken ?? 0) > 0);
    bench.worker.input(order.thread, 'go');
    await bench.worker.until('exit', () => thread.exit !== undefined);
    bench.worker.sendOrder(number);
    const before = bench.worker.orders[0]?.taken ?? 0;
    await bench.worker.until('taken', () => (bench.worker.orders[0]?.taken ?? 0) > before);
    expect(thread.texts).toEqual(['up']);
    expect(thread.observed.filter((body) => body.type === 'started')).toHaveLength(1);
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
  });

  it('without a command is refused with the reason', async () => {
    const bench = await Bench.open();
    const order = shellOrder('', { config: {} });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('refused', () => thread.refused !== undefined);
    expect(thread.refused).toMatch(/needs a command/);
    expect(processesOf(bench.home)).toEqual([]);
  });

  it('[RUN10] is refused with the fix where bubblewrap is missing, and the runner goes on', async () => {
    const bench = await Bench.open({ env: { PATH: '/nowhere' } });
    expect(bench.runner?.executors).toMatchObject([
      { kind: 'sandbox', available: false },
      { kind: 'container', available: false },
    ]);
    const order = shellOrder('echo up');
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('refused', () => thread.refused !== undefined);
    expect(thread.refused).toMatch(/bubblewrap is not installed: run `.*install.* bubblewrap`/);
    expect(bench.worker.executors).toEqual(bench.runner?.executors);
  });

  it('that cannot be executed exits with what bubblewrap says', async () => {
    const bench = await Bench.open();
    const order = shellOrder('', { config: { command: ['no-such-program'] } });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'exited', code: 1 });
    expect(thread.exit?.stderr).toMatch(/no-such-program/);
  });

  it('may write any amount to stderr: its end is kept', async () => {
    const bench = await Bench.open();
    const order = shellOrder('seq 1 300000 >&2; echo end >&2');
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit?.stderr?.endsWith('300000\nend\n')).toBe(true);
    expect(thread.exit?.stderr?.length).toBe(8192);
  });

  it('that prints more than can be stored is ended, and what it printed is kept', async () => {
    const bench = await Bench.open({ backlogBytes: 256 * 1024 });
    const order = shellOrder('read go; while :; do echo 0123456789; done');
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('started', () => thread.observed.length === 2);
    thread.holdAcks = true;
    bench.worker.input(order.thread, 'go');
    await bench.logged(order, 'exited');
    thread.holdAcks = false;
    thread.socket?.terminate();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(thread.exit).toMatchObject({ reason: 'limit' });
    expect(thread.exit?.detail).toMatch(/waiting to be stored/);
    expect(thread.offset).toBeGreaterThan(256 * 1024);
  });

  it('[RUN7] [SEC10] lives in directories that are closed to others', async () => {
    const bench = await Bench.open();
    const order = shellOrder('read line');
    bench.worker.order(order);
    await bench.logged(order, 'started');
    const mode = (path: string): number => statSync(path).mode & 0o777;
    const dir = bench.agentDir(order);
    expect(mode(`${bench.home}/agents`)).toBe(0o700);
    expect(mode(`${bench.home}/archive`)).toBe(0o700);
    expect(mode(dir) & 0o007).toBe(0);
    expect(mode(`${dir}/run`)).toBe(0o700);
    expect(mode(`${dir}/run/1`)).toBe(0o700);
    expect(mode(bench.runFile(order, 'order.json'))).toBe(0o600);
  });
});
