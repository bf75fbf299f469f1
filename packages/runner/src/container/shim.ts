import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createExclusive } from '../files.ts';
import type { RunDir } from '../home.ts';
import { FILE_TOO_LARGE } from '../limits/agent-limits.ts';
import { reasonOf } from '../log.ts';
import { bootId, statOf } from '../proc.ts';
import { Counters } from './counters.ts';
import { Demux } from './demux.ts';
import { Engine, type EngineState } from './engine.ts';
import { follow } from './follow.ts';
import { EngineError } from './http.ts';
import { Pump } from './pump.ts';
import { ShimArgs } from './shim-args.ts';

/** As `exit.ts` reads it: more than is shown, so that no secret is cut where it begins. */
const STDERR_BYTES = 16384;
const RETRY_MS = 1_000;
/** How soon after its last output an engine must say that the container has ended. */
const ENDED_MS = 10_000;
const LOOK_MS = 50;
/** As a shell has them: the command was not found, and nothing could be run. */
const NOT_FOUND = 127;
const NOT_RUN = 125;
const BROKEN = 'filepath: the connection to the container engine broke, and output may be missing';

/** From the claim of an epoch to its exit status. Without one the agent is lost. */
export async function runShim(run: RunDir): Promise<void> {
  const own = `${process.pid} ${statOf(process.pid)?.start ?? ''} ${bootId()}\n`;
  if (!createExclusive(run.pid, own)) return;
  let args: ShimArgs;
  try {
    args = ShimArgs.parse(JSON.parse(readFileSync(run.args, 'utf8')));
  } catch (error) {
    return await end(run, NOT_RUN, `cannot read what to run: ${reasonOf(error)}\n`);
  }
  rmSync(run.args, { force: true });
  const engine = new Engine(args.engine);
  const { name } = args;
  let output: Duplex;
  let id: string;
  try {
    id = await create(engine, args);
    output = await engine.attach(name);
  } catch (error) {
    return await refuse(run, engine, name, error);
  }
  const stderr = new Tail(STDERR_BYTES);
  const spooling = spool(run, output, stderr);
  // Some engines have made the process by now, and some make it when they start it.
  let counters = await count(run, engine, name, id);
  try {
    await engine.start(name);
  } catch (error) {
    output.destroy();
    return await refuse(run, engine, name, error);
  }
  counters ??= await count(run, engine, name, id);
  const stdin = follow(run.stdin, output);
  const whole = await spooling;
  counters?.sample();
  stdin.close();
  const state = whole ? await ended(engine, name) : null;
  const reached = counters?.sample() ?? { oomKills: 0, pidsHits: 0 };
  counters?.close();
  if (state === null) {
    await engine.remove(name).catch(() => undefined);
    write(run.stderr, `${stderr.text()}${BROKEN}\n`);
    return;
  }
  // A stop that was ordered is why it ended, whatever it came to before.
  if (state.ExitCode !== 0 && !existsSync(run.limit) && !existsSync(run.stop)) {
    if (state.ExitCode === FILE_TOO_LARGE) write(run.limit, args.limits.disk);
    else if (state.OOMKilled === true || reached.oomKills > 0) write(run.limit, args.limits.memory);
    else if (reached.pidsHits > 0) write(run.limit, args.limits.pids);
  }
  await engine.remove(name).catch(() => undefined);
  await end(run, state.ExitCode, stderr.text());
}

/** The name is this epoch's alone: what has it was left by a start that failed half way. */
async function create(engine: Engine, args: ShimArgs): Promise<string> {
  const { name } = args;
  const body = bodyOf(args);
  try {
    return await engine.create(name, body);
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 409) throw error;
    await engine.remove(name);
    return engine.create(name, body);
  }
}

/** With the network that this process holds, by its own name for it. */
function bodyOf({ body, networkFd }: ShimArgs): object {
  if (networkFd === null) return body;
  const network = { NetworkMode: `ns:/proc/${process.pid}/fd/${networkFd}` };
  return { ...body, HostConfig: { ...Object(body['HostConfig']), ...network } };
}

/** Notes process 1 of the container as bubblewrap notes its own. */
async function count(
  run: RunDir,
  engine: Engine,
  name: string,
  id: string,
): Promise<Counters | null> {
  const state = await engine.inspect(name).catch(() => null);
  if (state === null || state.Pid < 2) return null;
  write(run.status, `${JSON.stringify({ 'child-pid': state.Pid })}\n`);
  return new Counters(state.Pid, id);
}

/** Appends what the agent prints to the spool. Says whether the stream came to its end. */
async function spool(run: RunDir, output: Duplex, stderr: Tail): Promise<boolean> {
  const pump = new Pump(run);
  const demux = new Demux();
  try {
    for await (const chunk of output) {
      for (const { stream, bytes } of demux.take(chunk as Buffer)) {
        if (stream === 'stderr') stderr.add(bytes);
        else await pump.append(bytes);
      }
    }
  } catch {
    return false;
  } finally {
    pump.close();
  }
  return demux.whole;
}

/** The state of a container whose output has ended. Null where nobody knows whether that was all of it. */
async function ended(engine: Engine, name: string): Promise<EngineState | null> {
  const until = Date.now() + ENDED_MS;
  do {
    let state: EngineState | null;
    try {
      state = await engine.inspect(name);
    } catch {
      return null;
    }
    if (state === null) return null;
    if (!state.Running && ['exited', 'stopped', 'dead'].includes(state.Status)) return state;
    await delay(LOOK_MS);
  } while (Date.now() < until);
  return null;
}

/** The engine did not start it: the person reads the engine's words. */
async function refuse(run: RunDir, engine: Engine, name: string, error: unknown): Promise<void> {
  const message = reasonOf(error);
  await engine.remove(name).catch(() => undefined);
  const missing = /not found|no such file/i.test(message);
  await end(run, missing ? NOT_FOUND : NOT_RUN, `${message}\n`);
}

/** An exit status that cannot be written, on a full disk, is written when it can. */
async function end(run: RunDir, status: number, stderr: string): Promise<void> {
  write(run.stderr, stderr);
  const temporary = `${run.exit}.tmp`;
  while (!write(temporary, `${status}\n`)) await delay(RETRY_MS);
  renameSync(temporary, run.exit);
}

function write(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** The last bytes of a stream. */
class Tail {
  readonly #most: number;
  #bytes = Buffer.alloc(0);

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(-this.#most)]).subarray(-this.#most);
  }

  text(): string {
    return this.#bytes.toString('utf8');
  }
}
