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
