import { expect, it } from 'vitest';
import { newJobId, snapshotOfJob, toBlocks } from '../src/index.ts';
import { fap, log } from './events.ts';

const job = newJobId();
const commit = 'a'.repeat(40);
const remote = 'https://example.com/a.git';

it('[JOB6] a job that ended is a notice: what was done, or why not', () => {
  const manifest = {
    version: 1,
    slug: 'a-1',
    remote,
    branch: 'main',
    head: commit,
    dirty: false,
    created: '2026-01-01T00:00:00.000Z',
    files: 12,
    bytes: 4000,
    left: { special: 0, links: 2, unreadable: 0 },
  };
  const bodies = [
    { type: 'pushed', job, remote, branch: 'feature/x', commit },
    {
      type: 'snapshot',
      job,
      snapshot: snapshotOfJob(job),
      sha256: 'b'.repeat(64),
      size: 10240,
      manifest,
    },
    { type: 'job_failed', job, work: 'push', reason: 'not permitted' },
  ];
  const said = bodies.map((body) => ({ source: 'system' as const, body }));
  expect(toBlocks(log(...said))).toMatchObject([
    { kind: 'notice', level: 'info', text: 'pushed aaaaaaaaaa to feature/x', detail: remote },
    {
      kind: 'notice',
      level: 'info',
      text: 'snapshot of 12 files, 10240 bytes',
      detail: expect.stringContaining('"links":2'),
    },
    { kind: 'notice', level: 'error', text: 'could not push', detail: 'not permitted' },
  ]);
});

it('[BLK8] the same body from an agent is no such notice', () => {
  const body = { type: 'pushed', job, remote, branch: 'x', commit };
  expect(toBlocks(log(fap(body)))).toMatchObject([{ kind: 'unknown' }]);
});
