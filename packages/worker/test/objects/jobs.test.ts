import { env } from 'cloudflare:workers';
import { JobId, newJobId, type ThreadId } from '@filepath/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import { ask, custom, logOf, message, newAgent } from './support/api.ts';
import { breakMethod } from './support/faults.ts';
import { TestRunner } from './support/runner.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const repository = 'https://s3cr3t-of-the-test@git.invalid/a/b.git';

async function agent(gitRepoUrl: string | null = repository): Promise<ThreadId> {
  const body = await ask(201, 'POST', '/api/session', { gitRepoUrl, root: custom });
  const { node } = z.object({ node: z.object({ id: z.string() }) }).parse(body);
  return node.id as ThreadId;
}

async function push(thread: ThreadId, body: unknown = {}): Promise<JobId> {
  const answer = await ask(202, 'POST', `/api/thread/${thread}/push`, body);
  return z.object({ job: JobId }).parse(answer).job;
}

const failed = (job: JobId, reason = 'git said no') => ({
  type: 'job_failed' as const,
  job,
  work: 'push' as const,
  reason,
});

const results = async (thread: ThreadId): Promise<unknown[]> =>
  (await logOf(thread)).filter(({ source }) => source === 'system').map(({ body }) => body);

describe('[JOB5] a push', () => {
  it('is ordered with the credentials of the repository, and its result is in the log', async () => {
    const runner = await TestRunner.connect();
    const thread = await agent();
    await message(thread);
    expect(await runner.order(thread)).toMatchObject({ kind: 'start' });
    const job = await push(thread, { branch: 'feature/x', force: true });
    expect(await runner.order(thread)).toMatchObject({
      kind: 'job',
      id: job,
      do: { type: 'push', repository, branch: 'feature/x', force: true },
    });
    const pushed = {
      type: 'pushed',
      job,
      remote: 'https://git.invalid/a/b.git',
      branch: 'feature/x',
      commit: 'a'.repeat(40),
    };
    runner.socket.send({ t: 'done', thread, result: pushed });
    expect(await runner.socket.until('stored')).toEqual({ t: 'stored', job });
    expect(await results(thread)).toEqual([pushed]);
  });

  it('needs a repository, and an agent that was started', async () => {
    const none = await agent(null);
    await message(none);
    await expect(ask(202, 'POST', `/api/thread/${none}/push`, {})).rejects.toThrow('no repository');
    const fresh = await agent();
    await expect(ask(202, 'POST', `/api/thread/${fresh}/push`, {})).rejects.toThrow(
      'no workspace yet',
    );
  });

  it.each([
    '',
    '-x',
    'a..b',
    'a//b',
    'a.lock',
    'a b',
    'a~1',
    'refs/heads/',
    '/a',
    '.a',
    'a/.b',
    'é',
  ])('to the branch %j is a 400', async (branch) => {
    const { node } = await newAgent();
    await ask(400, 'POST', `/api/thread/${node.id}/push`, { branch });
  });

  it('is refused while many have not ended', async () => {
    const thread = await agent();
    await message(thread);
    for (let n = 0; n < 8; n += 1) await push(thread);
    await expect(ask(202, 'POST', `/api/thread/${thread}/push`, {})).rejects.toThrow(
      'has 8 jobs that have not ended',
    );
  });
});

describe('[JOB6] a result', () => {
  it('is logged once, however often it comes, redacted', async () => {
    const runner = await TestRunner.connect();
    const thread = await agent();
    await message(thread);
    const job = await push(thread);
    for (let n = 0; n < 3; n += 1) {
      runner.socket.send({ t: 'done', thread, result: failed(job, 'owner-token-for-tests!') });
      await runner.socket.until('stored');
    }
    expect(await results(thread)).toEqual([failed(job, '[redacted]!')]);
  });

  it('that could not be stored is not acknowledged', async () => {
    const runner = await TestRunner.connect();
    const thread = await agent();
    await message(thread);
    const job = await push(thread);
    const broken = breakMethod(ThreadObject.prototype, 'jobDone');
    runner.socket.send({ t: 'done', thread, result: failed(job) });
    await expect.poll(() => broken.calls.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(await results(thread)).toEqual([]);
    vi.restoreAllMocks();
    const again = await TestRunner.connect();
    again.socket.send({ t: 'done', thread, result: failed(job) });
    expect(await again.socket.until('stored')).toEqual({ t: 'stored', job });
    expect(await results(thread)).toEqual([failed(job)]);
  });

  it('that nobody asked for, or of a thread that is gone, is acknowledged and adds nothing', async () => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const result = failed(newJobId());
    runner.socket.send({ t: 'done', thread: node.id, result });
    expect(await runner.socket.until('stored')).toMatchObject({ job: result.job });
    expect(await logOf(node.id)).toEqual([]);
    await ask(204, 'DELETE', `/api/session/${session.id}`);
    runner.socket.send({ t: 'done', thread: node.id, result });
    expect(await runner.socket.until('stored')).toMatchObject({ job: result.job });
  });

  it('of another runner adds nothing', async () => {
    const thread = await agent();
    await message(thread);
    const job = await push(thread);
    await env.THREAD.getByName(thread).jobDone('rn_other', failed(job));
    expect(await results(thread)).toEqual([]);
  });
});
