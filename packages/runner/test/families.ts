import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JobOrder, JobResult, MergeTarget, StartOrder } from '@filepath/protocol';
import { carriedOut, jobOrder } from './jobs.ts';
import { ended, repositoryOf } from './repositories.ts';
import { type Bench, shellOrder } from './setup.ts';

export const AS = 'git config user.name a; git config user.email a@a;';
export const commit = (file: string, text: string): string =>
  `${AS} printf '${text}' > ${file}; git add ${file}; git commit -qm ${file};`;

type Mode = { mode?: 'ff' | 'merge'; hand?: boolean; commit?: string };

export const toParent = ({ thread, slug }: StartOrder, atWork = false): MergeTarget => ({
  into: 'parent',
  thread,
  slug,
  name: 'lead',
  atWork,
});
export const SESSION = { into: 'session', branch: 'filepath/work-1' } as const;

export const mergeOrder = (child: StartOrder, target: MergeTarget, more: Mode = {}): JobOrder =>
  jobOrder(child, { type: 'merge', name: 'helper', target, hand: false, ...more });

export const merged = (
  bench: Bench,
  child: StartOrder,
  target: MergeTarget,
  more: Mode = {},
): Promise<JobResult> => carriedOut(bench, mergeOrder(child, target, more));

export const workspace = (bench: Bench, order: StartOrder): string =>
  join(bench.agentDir(order), 'workspace');

/** A parent on a repository, and children of it that ran these scripts. */
export async function family(bench: Bench, parent: string, ...children: string[]) {
  const gitRepoUrl = repositoryOf({ text: '1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
  const lead = shellOrder(parent, { gitRepoUrl });
  await ended(bench, lead);
  const helpers: StartOrder[] = [];
  for (const script of children) {
    const of = { thread: lead.thread, slug: lead.slug };
    const helper = shellOrder(script, { gitRepoUrl, parent: of });
    await ended(bench, helper);
    helpers.push(helper);
  }
  const mirror = join(
    bench.home,
    'mirrors',
    readdirSync(join(bench.home, 'mirrors')).find((name) => name.endsWith('.git')) ?? '',
  );
  return { lead, helpers, mirror, gitRepoUrl };
}

/** Lets an agent run another script in the workspace that it has. */
export async function again(bench: Bench, order: StartOrder, script: string): Promise<void> {
  const record = bench.worker.thread(order.thread);
  const epoch = record.epoch + 1;
  Object.assign(record, { epoch, observed: [], lines: [], offset: 0 });
  await ended(bench, { ...order, epoch, config: { command: ['sh', '-c', script] } });
}
