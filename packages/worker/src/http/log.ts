type LogLevel = 'info' | 'warn' | 'error';

/** The worker's one way to write to its log: a line of JSON. Fields are redacted by whoever passes them. */
export function log(level: LogLevel, event: string, fields: Record<string, unknown> = {}): void {
  // oxlint-disable-next-line no-console -- the engine collects the worker's log from its console
  console.log(JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }));
}
