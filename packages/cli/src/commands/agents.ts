import { parseArgs } from 'node:util';
import { installAgent } from '../agents/install.ts';
import { knownHere, type KnownHere } from '../agents/known.ts';
import { newAgent } from '../agents/new.ts';
import { rowOf, tableLines } from '../agents/table.ts';
import type { Io } from '../io.ts';
import { UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath agents list [--json]
       filepath agents install TYPE
       filepath agents new FOLDER

list     the kinds of agents there are, and where their programs are
install  puts the program of an agent among the tools of all agents, at its pinned version, from npm
new      makes the folder of an agent of your own: a program of some sixty lines that works`;

export async function agents(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const [action = 'list', name, ...more] = positionals;
    if (more.length > 0) throw new UsageError(`${more[0]} is one word too many.`);
    switch (action) {
      case 'list':
        if (name !== undefined) throw new UsageError(`${name} is one word too many.`);
        list(await knownHere(io.env), values.json === true, io);
        return 0;
      case 'install':
        await installAgent(entryNamed(await knownHere(io.env), name), io);
        return 0;
      case 'new':
        if (name === undefined) throw new UsageError('Name the folder of the new agent.');
        io.out(`${newAgent(name)} is made: see README.md in it`);
        return 0;
      default:
        throw new UsageError(`filepath agents cannot ${action}.`);
    }
  });
}

function list({ entries, programs, faults }: KnownHere, asJson: boolean, io: Io): void {
  const rows = entries.map((entry) => rowOf(entry, programs));
  if (asJson) io.out(JSON.stringify({ agents: rows, faults }, null, 2));
  else for (const line of tableLines(rows)) io.out(line);
  for (const fault of faults) io.err(fault);
}

function entryNamed({ entries }: KnownHere, type: string | undefined) {
  if (type === undefined) throw new UsageError('Name the type of the agent.');
  const entry = entries.find((one) => one.type === type);
  if (entry !== undefined) return entry;
  const known = entries.map((one) => one.type).join(', ');
  throw new UsageError(`There is no agent ${type}; there are ${known}.`);
}
