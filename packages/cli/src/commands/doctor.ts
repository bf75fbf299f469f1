import { parseArgs } from 'node:util';
import type { Check, Machine } from '../doctor/check.ts';
import { checkDisk, checkPort } from '../doctor/place.ts';
import { checkAgents, checkContainers, checkGit, checkNode } from '../doctor/programs.ts';
import { checkSandbox } from '../doctor/sandbox.ts';
import { thisMachine } from '../doctor/this-machine.ts';
import { findInstance, homeOf } from '../instance-file.ts';
import type { Io } from '../io.ts';
import { withUsage } from '../usage.ts';

const USAGE = `Usage: filepath doctor [--json]

Says of everything that filepath needs whether it is there, and where it is not, what works without it and what to do.
Exits 1 if something necessary is missing.`;

export async function doctor(
  args: string[],
  io: Io,
  machine: Machine = thisMachine,
): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values } = parseArgs({
      args,
      options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const checks = await examine(machine, io.env);
    const ready = checks.every((check) => check.state !== 'fail');
    if (values.json) {
      io.out(JSON.stringify({ ok: ready, checks }, null, 2));
    } else {
      for (const line of checks.flatMap(linesOf)) io.out(line);
      io.out(ready ? 'filepath can run here.' : 'Something necessary is missing: see "fix" above.');
    }
    return ready ? 0 : 1;
  });
}

export async function examine(machine: Machine, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const host = env['FILEPATH_HOST'] || '127.0.0.1';
  const port = env['FILEPATH_PORT'] || '4280';
  return [
    checkNode(machine),
    await checkGit(machine),
    ...(await checkSandbox(machine)),
    await checkContainers(machine),
    await checkAgents(machine, env),
    await checkDisk(machine, homeOf(env)),
    await checkPort(machine, host, port, findInstance(env)?.url ?? null),
  ];
}

/** Room for the longest name; what belongs to a need stands below its text. */
const INDENT = ' '.repeat(6 + 15 + 2);

function linesOf({ state, name, text, works, fix }: Check): string[] {
  return [
    `${state.padEnd(4)}  ${name.padEnd(15)}  ${text}`,
    ...(works === undefined ? [] : [`${INDENT}works: ${works}`]),
    ...(fix === undefined ? [] : [`${INDENT}fix: ${fix}`]),
  ];
}
