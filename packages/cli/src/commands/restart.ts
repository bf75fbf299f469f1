import { parseArgs } from 'node:util';
import type { Io } from '../io.ts';
import { oneNode, runningClient } from '../the-instance.ts';
import { withUsage } from '../usage.ts';

const USAGE = `Usage: filepath restart NODE

Ends what an agent runs and begins again in a fresh process: from its last handoff, or from its first task.
Its conversation and its files stay.`;

export async function restart(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const node = oneNode(positionals);
    await runningClient(io).thread.restart(node);
    io.out(`${node} begins again`);
    return 0;
  });
}
