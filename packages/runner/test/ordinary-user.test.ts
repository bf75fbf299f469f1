import { execFileSync } from 'node:child_process';
import { chownSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { webServer } from './egress.ts';
import { asUser, USER } from './as-user.ts';
import { ended, repositoryOf } from './repositories.ts';
import { Bench, runnerProcess, shellOrder } from './setup.ts';

describe('a runner without privileges', () => {
  it('runs agents through user namespaces, or says what forbids them', async () => {
    const bench = await Bench.open({ idle: true });
    const user = asUser();
    if (user.prefix.length > 0) chownSync(bench.home, USER, USER);
    runnerProcess(bench, user.prefix, user.path);
    const order = shellOrder(
      `read line; echo "$line" > note; cat note; id -u; cat /proc/1/environ | tr '\\0' '\\n'
      echo cut > /dev/stdout; ( : > /usr/x ) 2>/dev/null && echo open; ls ${bench.home} 2>/dev/null; echo end`,
      { inputs: [{ id: 1, line: 'hello' }] },
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    const ended = (): boolean => thread.exit !== undefined || thread.refused !== undefined;
    await bench.worker.until('end', ended);
    if (thread.refused !== undefined) {
      expect(bench.worker.executors).toMatchObject([
        { available: false, reason: thread.refused },
        {},
      ]);
      expect(thread.refused).toMatch(/does not permit the sandbox.*run/);
      return;
    }
    const uid = user.prefix.length > 0 ? USER : process.getuid?.();
    expect(thread.texts).toEqual(['hello', String(uid), 'PATH=/usr/bin:/bin', 'cut', 'end']);
  });

  it('[GIT1] gives workspaces the objects of a mirror, read-only', async () => {
    const bench = await Bench.open({ idle: true });
    const user = asUser();
    const gitRepoUrl = repositoryOf({ file: 'content\n' });
    if (user.prefix.length > 0) {
      execFileSync('chown', ['-R', `${USER}:${USER}`, bench.home, dirname(gitRepoUrl)]);
    }
    runnerProcess(bench, user.prefix, user.path);
    const order = shellOrder(
      `cat file; git log --format=%s; cat .git/objects/info/alternates
      ( : > /run/mirror.git/x ) 2> /dev/null && echo open; echo end`,
      { gitRepoUrl },
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until(
      'end',
      () => thread.exit !== undefined || thread.refused !== undefined,
    );
    if (thread.refused?.includes('does not permit the sandbox') === true) return;
    expect(thread.refused).toBeUndefined();
    expect(thread.texts).toEqual(['content', 'first', '/run/mirror.git/objects', 'end']);
  });

  it('[NET13] gives agents the one way out, also after it was killed', async () => {
    const bench = await Bench.open({ idle: true });
    const port = await webServer((_request, response) => response.end('reached\n'));
    const host = `localhost:${port}`;
    const user = asUser();
    if (user.prefix.length > 0) chownSync(bench.home, USER, USER);
    const permitted = ['env', `FILEPATH_EGRESS_PRIVATE=${host}`];
    const ask = `curl -s --noproxy '' http://${host}/; curl -s --noproxy '' -o /dev/null -w '%{http_code}\\n' http://denied.test/
      curl -s --unix-socket /run/filepath/gw.sock http://x/gateway/x; echo; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '`;
    // Until the next runner listens, there is nothing to connect to.
    const script = `${ask}; read line; until curl -s -o /dev/null http://127.0.0.1:4281/; do sleep 0.05; done; ${ask}`;
    const network = { policy: 'allowlist' as const, allow: [host] };
    const order = shellOrder('', { config: { command: ['sh', '-c', script], network } });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    const first = runnerProcess(bench, [...permitted, ...user.prefix], user.path);
    const answered = (): boolean => thread.texts.length >= 4 || thread.refused !== undefined;
    await bench.worker.until('answers', answered);
    if (thread.refused?.includes('does not permit the sandbox') === true) return;
    await first.kill();
    runnerProcess(bench, [...permitted, ...user.prefix], user.path);
    bench.worker.input(order.thread, 'again');
    await bench.worker.until(
      'end',
      () => thread.exit !== undefined || thread.refused !== undefined,
    );
    const answers = ['reached', '403', 'no gateway', 'lo'];
    expect(thread.texts).toEqual([...answers, ...answers]);
  });

  it('[GIT10] [HLT1] starts a child with its parent’s work, and rescues what is left', async () => {
    const bench = await Bench.open({ idle: true });
    const user = asUser();
    const gitRepoUrl = repositoryOf({ file: 'content\n' });
    if (user.prefix.length > 0) {
      execFileSync('chown', ['-R', `${USER}:${USER}`, bench.home, dirname(gitRepoUrl)]);
    }
    runnerProcess(bench, user.prefix, user.path);
    const parent = shellOrder('echo more > more', { gitRepoUrl });
    const first = await ended(bench, parent);
    if (first.refused?.includes('does not permit the sandbox') === true) return;
    const { thread, slug } = parent;
    const child = shellOrder('cat more', { gitRepoUrl, parent: { thread, slug } });
    expect((await ended(bench, child)).texts).toEqual(['more']);
    const over = bench.runFile(parent, 'over');
    await expect.poll(() => existsSync(over)).toBe(true);
    Object.assign(first, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    await ended(bench, { ...parent, epoch: 2 });
    expect(first.observed[0]).toMatchObject({ type: 'health', rescued: { files: 1 } });
  });
});
