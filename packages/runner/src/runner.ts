import type { Executor as ExecutorInfo, RunnerId } from '@filepath/protocol';
import { Agents } from './agents.ts';
import { SandboxExecutor } from './executor/sandbox.ts';
import { Mirrors } from './git/mirrors.ts';
import { Upkeep } from './git/upkeep.ts';
import { Home } from './home.ts';
import { bringNew, carryOut } from './jobs/carry-out.ts';
import { Jobs } from './jobs/jobs.ts';
import { jobSettings } from './jobs/settings.ts';
import { AgentLimits } from './limits/agent-limits.ts';
import { ControlLink } from './link/control-link.ts';
import type { Log } from './log.ts';
import { Orders } from './orders.ts';

export type RunnerOptions = {
  /** `$FILEPATH_HOME`. */
  home: string;
  /** Where the worker answers: `http://127.0.0.1:4280`. */
  url: string;
  /** The runner's bearer token. */
  token: string;
  id: RunnerId;
  /** Where programs are looked for and limits of agents are set. */
  env?: NodeJS.ProcessEnv;
  /** Where the control groups of this machine are. */
  cgroupRoot?: string;
  log: Log;
  /** The first wait before a lost link is dialled again. */
  reconnectMs?: number;
  /** Most output of one agent that may wait to be stored before the agent is ended. */
  backlogBytes?: number;
  /** How long after the start mirrors are looked after for the first time. */
  upkeepMs?: number;
};

export type Runner = {
  /** Closes the links and leaves the agents running. */
  stop(): Promise<void>;
  executors: ExecutorInfo[];
};

export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const env = options.env ?? process.env;
  const home = new Home(options.home);
  const limits = new AgentLimits(env, options.cgroupRoot);
  const settings = jobSettings(env);
  const mirrors = new Mirrors(home, env);
  const executor = new SandboxExecutor(env, limits, mirrors);
  const availability = await executor.check();
  const executors: ExecutorInfo[] = [
    { kind: executor.kind, ...availability, limits: limits.report() },
  ];
  if (!availability.available) {
    const message = availability.reason ?? 'not available';
    options.log({ level: 'warn', event: 'sandbox', message });
  }
  const { url, token, log, reconnectMs = 250, backlogBytes = 512 * 1024 * 1024 } = options;
  const agents = new Agents(home);
  const work = {
    env,
    limits,
    mirrors,
    availability,
    worker: { url, token },
    snapshotBytes: settings.snapshotBytes,
  };
  const jobs = new Jobs({
    agents,
    log,
    send: (frame) => control.send(frame),
    carryOut: (agent, order, signal) => carryOut(work, agent, order, signal),
    bring: (agent, signal) => bringNew(work, agent, signal),
  });
  const orders = new Orders({
    agents,
    jobs,
    executor,
    availability,
    link: { url, token, runner: options.id, reconnectMs },
    log,
    backlogBytes,
  });
  const control: ControlLink = new ControlLink({
    url,
    token,
    runner: options.id,
    reconnectMs,
    executors,
    log,
    take: (order) => orders.take(order),
    onLinked: () => jobs.tell(),
    onStored: (job) => jobs.stored(job),
  });
  const upkeep = new Upkeep({
    home,
    mirrors,
    env,
    log,
    days: settings.mirrorDays,
    ...(options.upkeepMs === undefined ? {} : { firstMs: options.upkeepMs }),
  });
  orders.resume();
  control.open();
  upkeep.open();
  return {
    executors,
    stop: async () => {
      control.close();
      await upkeep.close();
      await orders.close();
    },
  };
}
