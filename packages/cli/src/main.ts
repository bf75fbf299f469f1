import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

import type { Io } from './io.ts';
import { VERSION } from './version.ts';

type Command = (args: string[], io: Io) => Promise<number>;

const USAGE = `Usage: filepath COMMAND [OPTION …]

  up        start filepath and print a link that signs you in
  run       run one task without a browser
  agents    list the kinds of agents, install their programs, make one of your own
  memory    list, search, add and forget what agents remember
  token     make, list and revoke API tokens
  tunnel    make, list, rotate and revoke ways to a directory of your machine
  runner    serve a directory of this machine to your LiteClaw, through a tunnel
  changes   list what an agent changed
  merge     merge an agent's work into its parent's branch or the session's
  restart   begin an agent again from its last handoff
  export    write a thread or a chat as signed NDJSON
  import    make the chat of an export your LiteClaw
  verify    check an export
  replay    do the calls of tools in an export of a chat again, and compare
  convert   make a session of another program from an export of a chat
  validate  check NDJSON on stdin against FAP
  doctor    check what filepath needs on this machine

filepath COMMAND --help says more; --version prints the version.`;

/** Each command is loaded only when it is called. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./up.ts')).up,
  run: async () => (await import('./commands/run.ts')).run,
  agents: async () => (await import('./commands/agents.ts')).agents,
  memory: async () => (await import('./commands/memory.ts')).memory,
  token: async () => (await import('./commands/token.ts')).token,
  tunnel: async () => (await import('./commands/tunnel.ts')).tunnel,
  runner: async () => (await import('./commands/runner.ts')).runner,
  changes: async () => (await import('./commands/changes.ts')).changes,
  merge: async () => (await import('./commands/merge.ts')).merge,
  restart: async () => (await import('./commands/restart.ts')).restart,
  export: async () => (await import('./commands/export.ts')).exportThread,
  import: async () => (await import('./commands/import.ts')).importChat,
  verify: async () => (await import('./commands/verify.ts')).verify,
  replay: async () => (await import('./commands/replay.ts')).replay,
  convert: async () => (await import('./commands/convert.ts')).convert,
  validate: async () => (await import('./commands/validate.ts')).validate,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
};

async function main([name = 'help', ...args]: string[], io: Io): Promise<number> {
  if (name === 'help' || name === '--help' || name === '-h') {
    io.out(USAGE);
    return 0;
  }
  if (name === '--version' || name === 'version') {
    io.out(VERSION);
    return 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    io.err(`There is no command "${name}".`);
    io.err(USAGE);
    return 2;
  }
  return (await load())(args, io);
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * The first signal asks the command to end; one that comes a second later does not wait for it. A terminal
 * and the script that started this may both send the same one.
 */
function interruption(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const [signal, status] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (controller.signal.aborted && performance.now() - first > 1_000) process.exit(status);
      if (!controller.signal.aborted) first = performance.now();
      controller.abort();
    });
  }
  return controller.signal;
}

// In the repository, not in the temporary directory that other users share.
enableCompileCache(
  fileURLToPath(new URL('../../../node_modules/.cache/filepath/code', import.meta.url)),
);
// A reader that went away, as in `filepath export … | head`, is no fault.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
  signal: interruption(),
});
