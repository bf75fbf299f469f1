import { AgentEntry, type AgentEvent } from '@filepath/protocol';
import type { Driver } from './driver/driver.ts';
import { emitTo, readInputs } from './driver/stdio.ts';

/**
 * The program that the runner starts for every agent of the catalog but `custom`. Its entry is in FILEPATH_AGENT. A CLI
 * starts it once more, with `mcp`, for the tools of an agent in a tree.
 */
async function main(): Promise<number> {
  if (process.argv[2] === 'mcp') {
    await (await import('./mcp/server.ts')).serveMcp(process.env);
    return 0;
  }
  const emit = emitTo(1);
  const entry = AgentEntry.parse(JSON.parse(process.env['FILEPATH_AGENT'] ?? 'null'));
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => ending.abort());
  }
  const inputs = readInputs(process.stdin, emit);
  try {
    const driver = await driverOf(entry);
    return await driver({ entry, env: process.env, inputs, emit, signal: ending.signal });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    emit({ type: 'status', state: 'error', reason } satisfies AgentEvent);
    return 1;
  }
}

/** Each is loaded by itself: an agent starts with what it needs. */
async function driverOf(entry: AgentEntry): Promise<Driver> {
  switch (entry.driver.kind) {
    case 'native':
      return (await import('./native/driver.ts')).native;
    case 'claude':
      return (await import('./claude/driver.ts')).claude;
    case 'codex':
      return (await import('./codex/driver.ts')).codex;
    case 'acp':
      return (await import('./acp/driver.ts')).acp;
    case 'custom':
      throw new Error('a custom agent is started by its own command');
  }
}

process.exitCode = await main();
process.exit();
