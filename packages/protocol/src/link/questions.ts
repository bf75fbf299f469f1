import { z } from 'zod';
import { Changes } from '../git/changes.ts';
import { FilesQuery, FoundFiles } from '../git/files.ts';
import { RepositoryFound } from '../git/repository.ts';
import { ThreadId } from '../ids.ts';
import { MachineCheck } from './checks.ts';
import { ToolDone, ToolWork } from './tool-work.ts';

const OfAgent = z.strictObject({ thread: ThreadId, slug: z.string() });

/** What the worker wants to know now. Nothing of it is stored. */
export const Question = z.discriminatedUnion('kind', [
  OfAgent.extend({
    kind: z.literal('changes'),
    /** All hunks of this file alone. */
    file: z.string().min(1).max(4096).optional(),
  }),
  OfAgent.extend({ kind: z.literal('files'), query: FilesQuery }),
  /** Whether a repository can be cloned. */
  z.strictObject({ kind: z.literal('repository'), repository: z.string().min(1).max(4096) }),
  /** Of the machine. */
  z.strictObject({ kind: z.literal('checks') }),
  /** What a tool of a chat comes to, in a sandbox. */
  z.strictObject({ kind: z.literal('tool'), work: ToolWork }),
]);
export type Question = z.infer<typeof Question>;

export const Answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('changes'), changes: Changes }),
  z.strictObject({ kind: z.literal('repository'), found: RepositoryFound }),
  z.strictObject({ kind: z.literal('checks'), checks: z.array(MachineCheck).max(32) }),
  z.strictObject({ kind: z.literal('files'), found: FoundFiles }),
  z.strictObject({ kind: z.literal('tool'), done: ToolDone }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string().max(4096) }),
]);
export type Answer = z.infer<typeof Answer>;
