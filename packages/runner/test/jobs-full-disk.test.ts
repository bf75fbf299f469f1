import {
  type ControlToWorker,
  type JobOrder,
  type JobResult,
  newJobId,
  newThreadId,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { Agents } from '../src/agents.ts';
import { Home } from '../src/home.ts';
import { JobFile } from '../src/jobs/job-file.ts';
import { Jobs } from '../src/jobs/jobs.ts';
import type { RunnerLog } from '../src/log.ts';
import { later } from './setup.ts';
import { smallDisk } from './small-disk.ts';

/** Jobs of one agent on a small disk. The first that is carried out, after `taken`, leaves the disk full. */
function jobsOnDisk(taken: Promise<void> = Promise.resolve()) {
  const disk = smallDisk(4);
  const agents = new Agents(new Home(disk.path));
  const agent = agents.ensure(newThreadId(), 'a-1');
  const done: string[] = [];
  const told: string[] = [];
  const logs: RunnerLog[] = [];
  const open = (): Jobs => {
    const jobs = new Jobs({
      agents,
      log: (event) => logs.push(event),
      send: (frame: ControlToWorker) => void (frame.t === 'done' && told.push(frame.result.job)),
      carryOut: async (_, { id }): Promise<JobResult> => {
        await taken;
        if (done.push(id) === 1) disk.fill();
        return { type: 'job_failed', job: id, work: 'snapshot', reason: 'r' };
      },
      bring: async () => false,
    });
    later(() => jobs.close());
    return jobs;
  };
  const order = (): JobOrder => {
    const { thread } = agent;
    return {
      kind: 'job',
      id: newJobId(),
      thread,
      slug: agent.place.slug,
      do: { type: 'snapshot' },
    };
  };
  const stateOf = ({ id }: JobOrder) => new JobFile(agent.place.dir, id).read()?.state;
  return { disk, open, order, done, told, logs, stateOf };
}

describe('a job on a full disk', () => {
  it('[JOB2] tells its result, and is not done again when it is stored', async () => {
    const { disk, open, order, done, told, stateOf } = jobsOnDisk();
    const jobs = open();
    const one = order();
    await jobs.take(one);
    await expect.poll(() => told).toEqual([one.id]);
    expect(stateOf(one)).toBe('open');
    await jobs.take(one);
    jobs.stored(one.id);
    await expect.poll(() => stateOf(one)).toBeUndefined();
    await jobs.take(one);
    open().resume();
    disk.empty();
    await expect.poll(() => stateOf(one)).toBe('stored');
    await jobs.take(one);
    open().resume();
    expect(done).toEqual([one.id]);
  });

  it('[JOB2] has its result on disk when there is room again', async () => {
    const { disk, open, order, done, told, stateOf } = jobsOnDisk();
    const jobs = open();
    const one = order();
    await jobs.take(one);
    await expect.poll(() => told).toEqual([one.id]);
    disk.empty();
    await expect.poll(() => stateOf(one)).toBe('ended');
    await jobs.close();
    open().resume();
    expect(told).toEqual([one.id, one.id]);
    expect(done).toEqual([one.id]);
  });

  it('[JOB3] that cannot be begun is begun when there is room', async () => {
    const taken = Promise.withResolvers<void>();
    const { disk, open, order, done, told, logs } = jobsOnDisk(taken.promise);
    const jobs = open();
    const [one, two] = [order(), order()];
    // One after the other: they are begun in the order in which they are on disk.
    await jobs.take(one);
    await jobs.take(two);
    taken.resolve();
    await expect.poll(() => told).toEqual([one.id]);
    const failures = () => logs.filter(({ message }) => message?.includes('ENOSPC'));
    await expect.poll(() => failures().length).toBeGreaterThan(1);
    expect(done).toEqual([one.id]);
    disk.empty();
    await expect.poll(() => told).toEqual([one.id, two.id]);
    expect(done).toEqual([one.id, two.id]);
  });
});
