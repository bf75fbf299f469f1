import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asUser, USER } from './as-user.ts';
import { repositoryOf } from './repositories.ts';
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
});
