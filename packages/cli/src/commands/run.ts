import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Client, createClient } from '@filepath/client';
import { FilepathError, GitRepoUrl, type LogEvent, toBlocks } from '@filepath/protocol';
import { knownHere, lacksProgram } from '../agents/known.ts';
import { fullBody } from '../full-body.ts';
import type { Io } from '../io.ts';
import { remark, RunWatch } from '../run-watch.ts';
import { someInstance, type SomeInstance } from '../some-instance.ts';
import { followThread } from '../sse.ts';
import { UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath run --agent TYPE [--model MODEL] [--repo URL] "task"
       filepath run --agent custom --command "…" [--model MODEL] [--repo URL] "task"

Runs one task without a browser: the agent's events go to stdout as NDJSON, everything else to stderr.
TYPE is one that \`filepath agents list\` names. --command is run by sh in the agent's sandbox; --repo is cloned into its
workspace. Without --model the agent has the model that the catalog names for it.
Exits 0 if the run completed, 1 if it did not. Ctrl-C stops the agent.`;

/** How long a stopped agent may take to end, its grace included. */
const STOP_MS = 30_000;

type Task = {
  agent: string;
  model: string | null;
  command: string | null;
  repo: string | null;
  text: string;
};

export async function run(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const task = readTask(args);
    if (task === null) {
      io.out(USAGE);
      return 0;
    }
    await checkAgent(task, io);
    const instance = await someInstance(io);
    try {
      return await perform(task, instance, io);
    } finally {
      await instance.stop();
    }
  });
}

/** What is known to fail is said before anything is started. */
async function checkAgent({ agent }: Task, io: Io): Promise<void> {
  const known = await knownHere(io.env);
  const entry = known.entries.find(({ type }) => type === agent);
  if (entry === undefined) {
    const types = known.entries.map(({ type }) => type).join(', ');
    throw new UsageError(`There is no agent ${agent}; there are ${types}.`);
  }
  if (!lacksProgram(entry, known)) return;
  const { install } = entry;
  const fix =
    install?.from === 'npm'
      ? `run \`filepath agents install ${agent}\``
      : (install?.hint ?? 'put it into /usr/local/bin');
  throw new FilepathError('conflict', `${entry.name} is not installed: ${fix}.`);
}

async function perform(task: Task, instance: SomeInstance, io: Io): Promise<number> {
  const client = createClient({ baseUrl: instance.url, token: instance.token });
  const thread = await createAgent(client, task);
  const watch = new RunWatch(await client.thread.message(thread, task.text));
  io.err(`thread ${thread}`);

  const reading = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const ending: { stopped: Promise<void> | null } = { stopped: null };
  const stop = (): void => {
    if (ending.stopped !== null) return;
    deadline = setTimeout(() => reading.abort(), STOP_MS);
    ending.stopped = client.thread.signal(thread, 'stop').catch((error: unknown) => {
      io.err(error instanceof Error ? error.message : String(error));
      reading.abort();
    });
  };
  io.signal.addEventListener('abort', stop, { once: true });
  if (io.signal.aborted) stop();
  try {
    for await (const event of followThread(thread, {
      ...instance,
      signal: reading.signal,
      onState: (state) => io.err(state === 'lost' ? 'connection lost, trying again' : 'connected'),
    })) {
      const before = watch.outcome;
      watch.take(event);
      if (before === null) await show(event, instance, io);
      if (watch.outcome === null) continue;
      // What still works or waits would outlive the instance that was started for it.
      if (instance.own) stop();
      if (!watch.alive || ending.stopped === null) break;
    }
    await ending.stopped;
  } finally {
    clearTimeout(deadline);
    io.signal.removeEventListener('abort', stop);
  }
  io.err(`run ${watch.outcome ?? 'did not end'}${watch.reason ? `: ${watch.reason}` : ''}`);
  return watch.outcome === 'completed' ? 0 : 1;
}

async function createAgent(client: Client, task: Task): Promise<string> {
  const session = await client.session.create({
    name: `run: ${task.text.replace(/\s+/g, ' ').trim()}`.slice(0, 80).trim(),
    ...(task.repo === null ? {} : { gitRepoUrl: task.repo }),
    root: {
      agentType: task.agent,
      ...(task.model === null ? {} : { model: task.model }),
      config: task.command === null ? {} : { command: ['sh', '-c', task.command] },
    },
  });
  if (session.rootNodeId !== null) return session.rootNodeId;
  throw new FilepathError(
    'internal',
    `Session ${session.id} was made without its agent. Try again.`,
  );
}

async function show(event: LogEvent, instance: SomeInstance, io: Io): Promise<void> {
  if (event.source === 'fap') {
    io.out(await fullBody(event, instance));
    const [asked] = toBlocks([event]);
    if (asked?.kind !== 'decision') return;
    io.err(
      `it asks: ${asked.prompt} (${asked.options.join(', ')}); answer on the page of the session`,
    );
    return;
  }
  const text = remark(event);
  if (text !== null) io.err(text);
}

/** null: the usage was asked for. */
function readTask(args: string[]): Task | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      agent: { type: 'string', default: 'custom' },
      model: { type: 'string' },
      command: { type: 'string' },
      repo: { type: 'string' },
    },
  });
  if (values.help) return null;
  const { agent, model = null, command = null } = values;
  if (agent === 'custom' && !command) throw new UsageError('A custom agent needs --command "…".');
  const [text] = positionals;
  if (!text?.trim() || positionals.length > 1) throw new UsageError('Give one task, in quotes.');
  const repo = values.repo === undefined ? null : repoOf(values.repo);
  return { agent, model, command, repo, text };
}

function repoOf(given: string): string {
  const repo = existsSync(given) ? resolve(given) : given;
  if (GitRepoUrl.safeParse(repo).success) return repo;
  throw new UsageError(`${given} is neither a git URL nor a folder that exists.`);
}
