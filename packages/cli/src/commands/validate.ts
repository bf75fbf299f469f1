import { parseArgs } from 'node:util';
import { type Line, LIMITS, parseAgentLine, readLines } from '@filepath/protocol';
import type { Io } from '../io.ts';
import { withUsage } from '../usage.ts';

const USAGE = `Usage: my-agent | filepath validate

Reads NDJSON on stdin and says of each line that is no FAP event where and why.
Exits 0 if every line is valid, 1 if one is not.`;

export async function validate(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    let lines = 0;
    let wrong = 0;
    for await (const line of readLines(io.stdin, LIMITS.line)) {
      if (io.signal.aborted) break;
      lines += 1;
      const fault = faultOf(line);
      if (fault === null) continue;
      wrong += 1;
      io.out(`line ${line.number}: ${fault.path}: ${fault.reason}`);
    }
    io.out(`${lines} ${lines === 1 ? 'line' : 'lines'}, ${wrong} wrong`);
    return wrong === 0 && !io.signal.aborted ? 0 : 1;
  });
}

function faultOf(line: Line): { path: string; reason: string } | null {
  if (line.text === null) return { path: '(root)', reason: line.problem };
  if (line.text.trim() === '') return null;
  const parsed = parseAgentLine(line.text);
  return parsed.ok ? null : parsed;
}
