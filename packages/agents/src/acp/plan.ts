import type { AgentEvent } from '@filepath/protocol';
import { z } from 'zod';

const Entries = z
  .array(z.looseObject({ content: z.string(), status: z.string().nullish().catch(null) }))
  .max(200);

type PlanStatus = 'pending' | 'active' | 'done' | 'error';
const STATUS: Readonly<Record<string, PlanStatus>> = {
  pending: 'pending',
  in_progress: 'active',
  completed: 'done',
  cancelled: 'error',
};

/** A plan of ACP, or the list of a todo tool. Null: it is neither. */
export function planOf(entries: unknown): Extract<AgentEvent, { type: 'plan' }> | null {
  const parsed = Entries.safeParse(entries);
  if (!parsed.success) return null;
  return {
    type: 'plan',
    steps: parsed.data.map(({ content, status }) => ({
      title: content,
      status: STATUS[status ?? 'pending'] ?? 'pending',
    })),
  };
}
