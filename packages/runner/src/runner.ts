import { rmSync } from 'node:fs';
import type {
  CatalogReport,
  Executor as ExecutorInfo,
  MachineCheck,
  RunnerId,
  ThreadId,
} from '@filepath/protocol';
import { Agents } from './agents.ts';
import { Catalog } from './catalog/catalog.ts';
import { ProvidedFiles } from './catalog/provided.ts';
import { catalogReport, ReportWatch } from './catalog/report.ts';
import { Archive } from './disk/archive.ts';
import { FreeSpace } from './disk/free-space.ts';
import { DiskQuota } from './disk/quota.ts';
import { diskSettings } from './disk/settings.ts';
import { type EgressOptions, Gateways } from './egress/gateways.ts';
import { Networks } from './executor/networks.ts';
import { ContainerExecutor } from './container/executor.ts';
import { Executors } from './executor/executors.ts';
import { SandboxExecutor } from './executor/sandbox.ts';
import { hasRepository } from './git/has-repository.ts';
import { Mirrors } from './git/mirrors.ts';
import { TouchWatch } from './git/touch-watch.ts';
import { Upkeep } from './git/upkeep.ts';
import { Home, homeId } from './home.ts';
import { bringNew, carryOut } from './jobs/carry-out.ts';
import { Jobs } from './jobs/jobs.ts';
import { jobSettings } from './jobs/settings.ts';
import { AgentLimits } from './limits/agent-limits.ts';
import { silenceSetting } from './limits/silence-setting.ts';
import { ControlLink } from './link/control-link.ts';
import { type Log, reasonOf } from './log.ts';
import { Mailbox } from './mailbox.ts';
import { Orders } from './orders.ts';
import { Questions } from './questions.ts';

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
  /** How agents reach other hosts, where it is not the usual. */
  egress?: EgressOptions;
  /** How long after the start mirrors are looked after for the first time. */
  upkeepMs?: number;
  /** What filepath needs on this machine, when the worker asks. */
  checks?: () => Promise<MachineCheck[]>;
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
  const settings = diskSettings(env);
  const disk = new FreeSpace(options.home, settings.reserve);
  await disk.open();
  const quota = new DiskQuota(settings.agent, disk);
  quota.open();
  const gateways = new Gateways({ url: options.url, token: options.token }, env, options.egress);
  const networks = new Networks(env);
  const mirrors = new Mirrors(home, env);
  const executors = await findExecutors({
    env,
    home,
    limits,
    mirrors,
    networks,
    disk: settings.agent,
  });
  const infos = executors.infos();
  for (const { kind, available, reason } of infos) {
    const message = reason ?? 'not available';
    if (!available)
      options.log({ level: kind === 'sandbox' ? 'warn' : 'info', event: kind, message });
  }
  const { url, token, log, reconnectMs = 250, backlogBytes = 512 * 1024 * 1024 } = options;
  const agents = new Agents(home);
  const catalog = Catalog.load(options.home);
  const report = (): CatalogReport => catalogReport(catalog, options.home);
  for (const message of catalog.faults) log({ level: 'warn', event: 'catalog', message });
  const archive = new Archive({
    path: home.archive,
    settings,
    keepUids: () => agents.keepUids(),
    log,
  });
  const own = jobSettings(env);
  const work = {
    env,
    limits,
    mirrors,
    availability: executors.sandbox,
    executors,
    disk,
    worker: { url, token },
    snapshotBytes: own.snapshotBytes,
    placeOf: (thread: ThreadId) => agents.find(thread)?.place ?? null,
    targets: new Mailbox(),
  };
  // What a call left that was cut short.
  rmSync(home.chatTools, { recursive: true, force: true });
  const questions = new Questions({
    env,
    limits,
    agents,
    mirrors,
    availability: executors.sandbox,
    checks: options.checks,
    chatTools: { parent: home.chatTools, task: executors.inSandbox },
  });
  const touches = new TouchWatch({
    look: (agent, signal) => questions.touched(agent, signal),
    isHere: (agent) => agents.find(agent.thread) === agent,
    hasRepository: ({ place }) => hasRepository(place),
    tell: (thread, touched) => control.send({ t: 'touched', thread, touched }),
    failed: ({ thread }, error) =>
      log({ level: 'warn', event: 'job', message: reasonOf(error).slice(0, 500), thread }),
  });
  const jobs = new Jobs({
    agents,
    log,
    send: (frame) => control.send(frame),
    carryOut: async (agent, order, signal) => {
      const result = await carryOut(work, agent, order, signal);
      if (order.do.type === 'merge') {
        const { target } = order.do;
        const parent = target.into === 'parent' ? agents.find(target.thread) : undefined;
        for (const each of [agent, parent]) if (each) touches.happened(each, 'moved');
      }
      return result;
    },
    bring: (agent, signal) => bringNew(work, agent, signal),
  });
  const orders = new Orders({
    agents,
    jobs,
    moved: (agent) => touches.happened(agent, 'moved'),
    acted: (agent) => touches.happened(agent, 'acted'),
    executors,
    catalog,
    provided: new ProvidedFiles(options.home, env),
    disk,
    quota,
    silenceMs: silenceSetting(env),
    gateways,
    link: { url, token, runner: options.id, reconnectMs, home: homeId(options.home) },
    log,
    backlogBytes,
  });
  const control: ControlLink = new ControlLink({
    url,
    token,
    runner: options.id,
    reconnectMs,
    executors: infos,
    catalog: report,
    log,
    take: (order) => orders.take(order),
    onLinked: () => {
      jobs.tell();
      touches.tellAll();
    },
    answer: (question) => questions.answer(question),
    onStored: (job) => jobs.stored(job),
  });
  const upkeep = new Upkeep({
    home,
    mirrors,
    env,
    log,
    days: own.mirrorDays,
    ...(options.upkeepMs === undefined ? {} : { firstMs: options.upkeepMs }),
  });
  const programs = new ReportWatch(report, (told) => control.send({ t: 'catalog', catalog: told }));
  orders.resume();
  control.open();
  archive.open();
  upkeep.open();
  return {
    executors: infos,
    stop: async () => {
      control.close();
      programs.close();
      questions.close();
      await touches.close();
      await upkeep.close();
      await orders.close();
      await archive.close();
      quota.close();
      disk.close();
      await networks.close();
    },
  };
}

type Means = {
  env: NodeJS.ProcessEnv;
  home: Home;
  limits: AgentLimits;
  mirrors: Mirrors;
  networks: Networks;
  disk: number;
};

async function findExecutors({ limits, ...means }: Means): Promise<Executors> {
  const { env, mirrors, networks } = means;
  const sandbox = new SandboxExecutor(env, limits, mirrors, networks);
  const agentImage = env['FILEPATH_AGENT_IMAGE']?.trim() || null;
  const container = new ContainerExecutor({
    ...means,
    limits: limits.settings,
    sandbox,
    agentImage,
  });
  const [sandboxed, contained] = await Promise.all([sandbox.check(), container.check()]);
  container.workspacesBySandbox = sandboxed.available;
  return new Executors(
    { executor: sandbox, availability: sandboxed },
    { executor: container, availability: contained },
    agentImage,
  );
}
