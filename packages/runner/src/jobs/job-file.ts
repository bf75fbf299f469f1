import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { JobId, JobOrder, JobResult } from '@filepath/protocol';
import { z } from 'zod';
import { readJsonOrNull } from '../damaged-home.ts';
import { writeDurable } from '../files.ts';

/** Files of jobs that the worker has stored: they keep an order that comes again from being carried out again. */
const KEPT = 32;

const Content = z.discriminatedUnion('state', [
  /** The order may hold credentials: it goes when the job has ended. */
  z.strictObject({ state: z.literal('open'), order: JobOrder, tries: z.int().min(0) }),
  z.strictObject({ state: z.literal('ended'), result: JobResult }),
  z.strictObject({ state: z.literal('stored') }),
]);
export type JobContent = z.infer<typeof Content>;

/** What is known of one job, in `jobs/` of its agent's directory. */
export class JobFile {
  readonly dir: string;
  readonly path: string;

  constructor(agentDir: string, job: JobId) {
    this.dir = join(agentDir, 'jobs');
    this.path = join(this.dir, `${job}.json`);
  }

  /** Null where there is none that can be read. */
  read(): JobContent | null {
    return Content.safeParse(readJsonOrNull(this.path)).data ?? null;
  }

  async write(content: JobContent): Promise<void> {
    await writeDurable(this.path, JSON.stringify(content));
  }

  /** Takes files of jobs that are long over off the disk. */
  prune(): void {
    const over = jobsIn(join(this.dir, '..'))
      .map((job) => new JobFile(join(this.dir, '..'), job))
      .filter((file) => file.read()?.state === 'stored')
      .map(({ path }) => ({ path, at: statSync(path).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    for (const { path } of over.slice(KEPT)) rmSync(path, { force: true });
  }
}

/** Jobs that have a file. */
export function jobsIn(agentDir: string): JobId[] {
  let names: string[];
  try {
    names = readdirSync(join(agentDir, 'jobs'));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const id = JobId.safeParse(name.replace(/\.json$/, ''));
    return id.success && name.endsWith('.json') ? [id.data] : [];
  });
}
