import type { z } from 'zod';
import {
  AssistantLine,
  ControlRequestLine,
  RateLimitLine,
  ResultLine,
  StreamLine,
  SystemLine,
  UserLine,
} from './lines.ts';

const READERS = {
  assistant: AssistantLine,
  user: UserLine,
  stream_event: StreamLine,
  system: SystemLine,
  result: ResultLine,
  control_request: ControlRequestLine,
  rate_limit_event: RateLimitLine,
} as const;

type Line = z.infer<(typeof READERS)[keyof typeof READERS]>;

/** The line, if it is of a kind that the driver reads and has the form of it. */
export function readLine(value: Record<string, unknown>): Line | null {
  const type = value['type'];
  if (typeof type !== 'string' || !Object.hasOwn(READERS, type)) return null;
  const parsed = READERS[type as keyof typeof READERS].safeParse(value);
  return parsed.success ? parsed.data : null;
}
