import { redact, secretsOf } from '../auth/redact.ts';
import type { Env } from '../env.ts';
import { log } from '../http/log.ts';
import { Alarms } from './alarms.ts';
import type { Sql } from './sql.ts';

/** The alarm of a Durable Object as `Alarms`. What fails is in the log, under the object's name. */
export function durableAlarms(ctx: DurableObjectState, sql: Sql, env: Env): Alarms {
  return new Alarms(
    sql,
    (at) => {
      // Always after now: with times that were past already, alarms were seen to be lost under load.
      void (at === null
        ? ctx.storage.deleteAlarm()
        : ctx.storage.setAlarm(Math.max(at, Date.now() + 1)));
    },
    Date.now,
    (name, error) => {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log('error', 'alarm failed', {
        object: ctx.id.name ?? ctx.id.toString(),
        name,
        error: redact(detail, secretsOf(env)),
      });
    },
  );
}
