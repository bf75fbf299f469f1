import { AgentEntry, type AgentEvent } from '@filepath/protocol';
import { acp } from './acp/driver.ts';
import { claude } from './claude/driver.ts';
import { codex } from './codex/driver.ts';
import type { Driver } from './driver/driver.ts';
import { emitTo, readInputs } from './driver/stdio.ts';
import { native } from './native/driver.ts';

/** The program that the runner starts for every agent of the catalog but `custom`. Its entry is in FILEPATH_AGENT. */
async function main(): Promise<number> {
  const emit = emitTo(1);
  const entry = AgentEntry.parse(JSON.parse(process.env['FILEPATH_AGENT'] ?? 'null'));
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => ending.abort());
  }
  const inputs = readInputs(process.stdin, emit);
  try {
    return await driverOf(entry)({ entry, env: process.env, inputs, emit, signal: ending.signal });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    emit({ type: 'status', state: 'error', reason } satisfies AgentEvent);
    return 1;
  }
}

function driverOf(entry: AgentEntry): Driver {
  switch (entry.driver.kind) {
    case 'native':
      return native;
    case 'claude':
      return claude;
    case 'codex':
      return codex;
    case 'acp':
      return acp;
    case 'custom':
      throw new Error('a custom agent is started by its own command');
  }
}

process.exitCode = await main();
process.exit();
