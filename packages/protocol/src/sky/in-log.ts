import { issuesOf } from '../errors.ts';
import { BlobRef } from '../thread/bodies.ts';
import type { LogEvent } from '../thread/log-event.ts';
import { SkyEvent } from './events.ts';

/** An event of Sky as a row of its thread's log: the body is the event, the head repeats its ids. */
export function skyRow(
  event: SkyEvent,
): Pick<LogEvent, 'thread' | 'run' | 'step' | 'event' | 'source' | 'body'> {
  return {
    thread: event.thread_id,
    run: event.run_id,
    step: event.step_id,
    event: event.event_id,
    source: 'sky',
    body: event,
  };
}

export type SkyReading =
  | { ok: true; event: SkyEvent }
  /** The body was too large for the log and is kept by its hash. */
  | { ok: true; event: null }
  | { ok: false; reason: string };

/** The event of a row with the source `sky`, if it is one and its ids are those of the row. */
export function skyEventOf(row: LogEvent): SkyReading {
  if (row.source !== 'sky') return { ok: false, reason: `its source is ${row.source}` };
  if (BlobRef.safeParse(row.body).success) return { ok: true, event: null };
  const parsed = SkyEvent.safeParse(row.body);
  if (!parsed.success) {
    const [first] = issuesOf(parsed.error);
    return { ok: false, reason: `${first?.path ?? '(root)'}: ${first?.reason ?? 'invalid'}` };
  }
  const event = parsed.data;
  const { thread, run, step } = row;
  const same = [
    ['thread_id', event.thread_id === thread],
    ['run_id', event.run_id === run],
    ['step_id', event.step_id === step],
    ['event_id', event.event_id === row.event],
  ] as const;
  const other = same.find(([, equal]) => !equal)?.[0];
  return other === undefined
    ? { ok: true, event }
    : { ok: false, reason: `${other} is not that of its row` };
}
