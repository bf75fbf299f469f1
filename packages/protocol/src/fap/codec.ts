import { z } from 'zod';
import { issuesOf } from '../errors.ts';
import { deeperThan } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { AgentEvent } from './events.ts';
import type { AgentInput } from './input.ts';

export type ParsedLine =
  | { ok: true; event: AgentEvent; body: Record<string, unknown> }
  | { ok: false; path: string; reason: string };

/**
 * One line of an agent's stdout. `body` is the value as it was said, with every key the agent wrote;
 * `event` is the same value seen through the schema.
 */
export function parseAgentLine(line: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, path: '(root)', reason: 'not JSON' };
  }
  if (deeperThan(value, LIMITS.depth)) {
    return { ok: false, path: '(root)', reason: `nested deeper than ${LIMITS.depth} levels` };
  }
  const parsed = AgentEvent.safeParse(value);
  if (!parsed.success) {
    const [first] = issuesOf(parsed.error);
    return { ok: false, path: first?.path ?? '(root)', reason: explain(value, first?.reason) };
  }
  return { ok: true, event: parsed.data, body: value as Record<string, unknown> };
}

function explain(value: unknown, reason: string | undefined): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'not an object';
  const type: unknown = Reflect.get(value, 'type');
  if (typeof type !== 'string') return 'no "type"';
  if (!KNOWN_TYPES.has(type)) return `unknown event type ${JSON.stringify(type.slice(0, 64))}`;
  return reason ?? 'invalid';
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  AgentEvent.options.map((option) => option.shape.type.value),
);

/** A line that is no valid event, kept as what could be kept of it: the body of an event with source `runner`. */
export const RejectedLine = z.object({
  type: z.literal('log'),
  level: z.literal('warn'),
  message: z.string(),
  rejected: z.object({
    path: z.string(),
    reason: z.string(),
    bytes: z.int().min(0),
    head: z.string(),
  }),
});
export type RejectedLine = z.infer<typeof RejectedLine>;

export function rejectedLine(
  head: string,
  bytes: number,
  issue: { path: string; reason: string },
): RejectedLine {
  return {
    type: 'log',
    level: 'warn',
    message: `line rejected: ${issue.reason}${issue.path === '(root)' ? '' : ` at ${issue.path}`}`,
    rejected: { ...issue, bytes, head: head.slice(0, LIMITS.rejectedHead) },
  };
}

export function encodeInput(input: AgentInput): string {
  return `${JSON.stringify(input)}\n`;
}
