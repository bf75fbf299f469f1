import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FilepathError, TunnelTool } from '@filepath/protocol';
import { isTunnelToken } from '@filepath/protocol/sky';
import { openTunnel } from '@filepath/runner';
import { findInstance, homeOf } from '../instance-file.ts';
import type { Io } from '../io.ts';
import { printable } from '../memory-lines.ts';
import { UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath runner --tunnel --dir DIR [--tools read,edit,write] [--url URL] [--token-file FILE]

Serves the text files of DIR to your LiteClaw for as long as it runs. It dials out; nothing listens here.

--tools       what is let through: read, edit, write; read unless given. Commands are never run.
--url         where filepath is served, https:// unless on this machine; the instance of this machine unless given
--token-file  a file with the token of "filepath tunnel create"; FILEPATH_TUNNEL_TOKEN unless given`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  tunnel: { type: 'boolean' },
  dir: { type: 'string' },
  tools: { type: 'string', default: 'read' },
  url: { type: 'string' },
  'token-file': { type: 'string' },
} as const;

export async function runner(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    if (!values.tunnel) throw new UsageError('Say --tunnel: there is no other way to run it.');
    if (process.platform !== 'linux')
      throw new FilepathError(
        'unavailable',
        'A tunnel needs Linux: its files are opened by /proc.',
      );
    const dir = directoryOf(values.dir);
    const tools = toolsOf(values.tools);
    const url = urlOf(values.url, io);
    const token = tokenOf(values['token-file'], io);
    return serve({ dir, tools, url, token }, io);
  });
}

type Served = { dir: string; tools: TunnelTool[]; url: string; token: string };

async function serve(served: Served, io: Io): Promise<number> {
  const { dir, tools } = served;
  const tunnel = openTunnel({
    ...served,
    keyFile: join(homeOf(io.env), 'tunnel-key.pem'),
    log: ({ event, message }) => {
      if (event === 'link-up') io.out(`${message}: ${tools.join(', ')} in ${printable(dir)}`);
      else io.err(printable(message));
    },
  });
  io.err(`The key of this machine is ${tunnel.publicKey}`);
  const stopped = new Promise<null>((resolve) => {
    if (io.signal.aborted) resolve(null);
    io.signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const why = await Promise.race([tunnel.ended, stopped]);
  tunnel.close();
  if (why === null) return 0;
  io.err(`Ended: ${why}.`);
  return 1;
}

function directoryOf(dir: string | undefined): string {
  if (dir === undefined) throw new UsageError('Name the directory with --dir.');
  const isDirectory = statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isDirectory) throw new UsageError(`There is no directory ${dir}.`);
  return dir;
}

function toolsOf(text: string): TunnelTool[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names)].map((name) => {
    const tool = TunnelTool.safeParse(name);
    if (tool.success) return tool.data;
    throw new UsageError(`A tunnel lets ${TunnelTool.options.join(', ')} through, not ${name}.`);
  });
}

/** The token goes where this leads: in the clear only to this machine. */
function urlOf(given: string | undefined, io: Io): string {
  const text = given ?? findInstance(io.env)?.url;
  if (text === undefined)
    throw new UsageError('No filepath runs on this machine: name yours with --url.');
  if (!URL.canParse(text)) throw new UsageError(`${text} is no URL.`);
  const { protocol, hostname } = new URL(text);
  const here = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && here)) return text;
  throw new UsageError(`${text} is neither https:// nor on this machine.`);
}

function tokenOf(file: string | undefined, io: Io): string {
  const text = file === undefined ? io.env['FILEPATH_TUNNEL_TOKEN'] : readToken(file);
  const token = text?.trim() ?? '';
  if (token === '')
    throw new UsageError('Give the token as FILEPATH_TUNNEL_TOKEN or with --token-file.');
  if (!isTunnelToken(token)) throw new UsageError('The token is none of a tunnel, fpn_….');
  return token;
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 4096);
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
}
