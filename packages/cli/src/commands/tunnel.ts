import { parseArgs } from 'node:util';
import { type LiteclawTunnel, TunnelId } from '@filepath/protocol';
import type { Io } from '../io.ts';
import { printable } from '../memory-lines.ts';
import { runningClient } from '../the-instance.ts';
import { checkIds, UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath tunnel create NAME
       filepath tunnel list [--json]
       filepath tunnel rotate ID
       filepath tunnel disconnect ID …
       filepath tunnel revoke ID …

create      makes a tunnel for your LiteClaw and prints its token, this once; "filepath runner" takes it
list        the tunnels there are, and whether a machine is connected
rotate      prints another token; the old one, and whoever is connected by it, is refused from now on
disconnect  ends the connection there is; the machine may connect again
revoke      removes the tunnel, and ends its connection`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
} as const;

export async function tunnel(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const [action = 'list', ...words] = positionals;
    switch (action) {
      case 'create':
        return create(words.join(' '), io);
      case 'list':
        if (words.length > 0) throw new UsageError(`${words[0]} is one word too many.`);
        return list(values.json === true, io);
      case 'rotate':
        return rotate(words, io);
      case 'disconnect':
      case 'revoke':
        return end(action, words, io);
      default:
        throw new UsageError(`filepath tunnel cannot ${action}.`);
    }
  });
}

async function create(name: string, io: Io): Promise<number> {
  if (name.trim() === '') throw new UsageError('Say which machine or directory it is for.');
  const made = await runningClient(io).tunnel.create({ name });
  io.out(made.token);
  io.err(`${made.tunnel.id} is made. Its token is not shown again.`);
  return 0;
}

async function rotate(ids: readonly string[], io: Io): Promise<number> {
  check(ids);
  if (ids.length > 1) throw new UsageError('Rotate one at a time.');
  const made = await runningClient(io).tunnel.rotate(ids[0] ?? '');
  io.out(made.token);
  io.err(`${made.tunnel.id} has this token now. It is not shown again.`);
  return 0;
}

async function list(json: boolean, io: Io): Promise<number> {
  const tunnels = await runningClient(io).tunnel.list();
  if (json) {
    io.out(JSON.stringify({ tunnels }, null, 2));
    return 0;
  }
  for (const one of tunnels) io.out(lineOf(one));
  if (tunnels.length === 0) io.err('There are no tunnels.');
  return 0;
}

async function end(action: 'disconnect' | 'revoke', ids: readonly string[], io: Io) {
  check(ids);
  const client = runningClient(io);
  for (const id of ids) {
    await client.tunnel[action](id);
    io.out(`${id} is ${action === 'revoke' ? 'revoked' : 'disconnected'}`);
  }
  return 0;
}

const check = (ids: readonly string[]): void =>
  checkIds(ids, (id) => TunnelId.safeParse(id).success, {
    none: 'Name the tunnel by its id, tun_….',
    kind: 'tunnel, tun_…',
  });

function lineOf({ id, hint, connected, seenAt, folder, tools, name }: LiteclawTunnel): string {
  const state = connected ? 'connected' : seenAt === null ? 'never used' : 'not connected';
  const serves = folder === null ? '' : `  ${printable(folder)} (${tools.join(', ')})`;
  return `${id}  …${hint}  ${state}${serves}  ${printable(name)}`;
}
