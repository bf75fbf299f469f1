import { z } from 'zod';
import { MemoryId, SessionId, ThreadId } from '../ids.ts';

/** Who gets to see it: one agent, the agents of a session, those on a repository, all of the user's. */
export const MemoryScope = z.enum(['agent', 'session', 'repository', 'user']);
export type MemoryScope = z.infer<typeof MemoryScope>;

export const MEMORY_LIMITS = {
  /** Characters of one. */
  content: 4_000,
  tags: 8,
  tag: 40,
  /** Of one agent, session or repository, or of the user's own. */
  perKey: 500,
  /** Of those, from one agent. */
  perAgent: 100,
  perUser: 10_000,
  /** Given to an agent at its start. */
  given: 10,
  givenBytes: 8 * 1024,
} as const;

export const MemoryContent = z
  .string()
  .max(MEMORY_LIMITS.content)
  .refine((text) => text.trim() !== '', 'expected some text');
export const MemoryTags = z
  .array(z.string().trim().min(1).max(MEMORY_LIMITS.tag))
  .max(MEMORY_LIMITS.tags);

/** Whose words they are. `seq` is the event in the agent's thread, if it said it there. */
export const MemorySource = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('person') }),
  z.strictObject({
    by: z.literal('agent'),
    name: z.string(),
    session: SessionId,
    thread: ThreadId,
    seq: z.int().min(1).nullable(),
  }),
]);
export type MemorySource = z.infer<typeof MemorySource>;

export const Memory = z.object({
  id: MemoryId,
  scope: MemoryScope,
  /** The agent's or session's id, or the repository as `repositoryKey` writes it; null for the user's. */
  key: z.string().nullable(),
  content: z.string(),
  tags: z.array(z.string()),
  source: MemorySource,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  /** How often an agent was given it. */
  uses: z.int().min(0),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type Memory = z.infer<typeof Memory>;

/** What a person stores. `key`: the id of an agent or session, or the URL of a repository. */
export const MemoryCreate = z
  .strictObject({
    content: MemoryContent,
    scope: MemoryScope.default('user'),
    key: z.string().min(1).max(4096).optional(),
    tags: MemoryTags.optional(),
  })
  .refine(({ scope, key }) => (scope === 'user') === (key === undefined), {
    path: ['key'],
    error: 'name the agent, session or repository; for the scope user leave it out',
  });
export type MemoryCreate = z.input<typeof MemoryCreate>;

export const MemoryPatch = z
  .strictObject({ content: MemoryContent.optional(), tags: MemoryTags.optional() })
  .refine(({ content, tags }) => content !== undefined || tags !== undefined, {
    error: 'expected content or tags',
  });
export type MemoryPatch = z.infer<typeof MemoryPatch>;

/** What an agent stores through the gateway. */
export const AgentMemoryCreate = z.strictObject({
  content: MemoryContent,
  scope: MemoryScope.optional(),
  tags: MemoryTags.optional(),
});
export type AgentMemoryCreate = z.infer<typeof AgentMemoryCreate>;

export const MemoryStored = z.object({
  memory: Memory,
  /** It was there already, and counts as new. */
  refreshed: z.boolean(),
  /** How many others went, to make room. */
  dropped: z.int().min(0),
});
export type MemoryStored = z.infer<typeof MemoryStored>;
