import { type JobOrder, type JobResult, type JobWork, newJobId } from '@filepath/protocol';
import type { Bench, shellOrder } from './setup.ts';

type Start = ReturnType<typeof shellOrder>;

export function jobOrder({ thread, slug }: Start, work: JobWork): JobOrder {
  return { kind: 'job', id: newJobId(), thread, slug, do: work };
}

/** The result of a job, when it has come. */
export async function resultOf(bench: Bench, { id }: JobOrder): Promise<JobResult> {
  const found = (): JobResult | undefined => bench.worker.done.find(({ job }) => job === id);
  await bench.worker.until(`the result of ${id}`, () => found() !== undefined);
  const result = found();
  if (result === undefined) throw new Error('no result');
  return result;
}

/** Orders a job and waits for its result. */
export function carriedOut(bench: Bench, order: JobOrder): Promise<JobResult> {
  bench.worker.order(order);
  return resultOf(bench, order);
}

/** Orders a push and waits for its result. */
export function pushed(
  bench: Bench,
  start: Start,
  more: { branch?: string; force?: boolean; session?: string } = {},
): Promise<JobResult> {
  const repository = start.gitRepoUrl ?? '';
  return carriedOut(bench, jobOrder(start, { type: 'push', repository, force: false, ...more }));
}

/** Shell that makes one commit with this file. */
export const commit = (name: string, text = name): string =>
  `git config user.name a; git config user.email a@a
   echo ${text} > ${name}; git add ${name}; git commit -q -m ${name}; git rev-parse HEAD;`;
