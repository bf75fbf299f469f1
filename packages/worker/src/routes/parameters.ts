import { JobId, SessionId, ThreadId } from '@filepath/protocol';
import { z } from 'zod';

export const SessionParams = z.object({ id: SessionId });
export const NodeParams = z.object({ id: SessionId, nodeId: ThreadId });
export const ThreadParams = z.object({ id: ThreadId });
export const DecisionParams = z.object({
  id: ThreadId,
  decisionId: z.string().min(1).max(128),
});
export const Accepted = z.object({ seq: z.int().min(1) });
export const JobAccepted = z.object({ job: JobId });

/** Seconds to wait for the result of a job. */
export const JobQuery = z.object({ wait: z.coerce.number().int().min(0).max(60).optional() });
