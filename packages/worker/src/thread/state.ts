import {
  type AgentConfig,
  GENESIS,
  INITIAL,
  type Lifecycle,
  type RunId,
  type RunnerId,
  type SessionId,
  type SnapshotSource,
  type ThreadId,
} from '@filepath/protocol';

/** What a thread is. Given by its session. */
export type ThreadMeta = {
  thread: ThreadId;
  session: SessionId;
  owner: string;
  name: string;
  slug: string;
  agentType: string;
  model: string;
  config: AgentConfig;
  gitRepoUrl: string | null;
  /** Absent for a root. */
  parent?: { thread: ThreadId; slug: string };
  apiKey: string;
  runner: RunnerId;
  /** What the workspace is made from, in place of the repository. */
  snapshot?: SnapshotSource;
  /** A program of the operator's or the user's own, which knows nothing of messages but what it reads itself. */
  plain?: boolean;
  /** False: it takes no message while it works. */
  steers?: boolean;
};

/** No process is begun for what such an agent did not ask for: it would do its work once more. */
export const isPlain = ({ plain, agentType }: ThreadMeta): boolean =>
  plain ?? agentType === 'custom';

/** `seq`: of the event by which it failed. */
export type Failed = { seq: number; reason: string | null };

export type OpenRun = {
  id: RunId;
  startedSeq: number;
  startedAt: string;
  inputHash: string;
  /** Events of the run so far. */
  events: number;
};

/** The agent's process as the thread knows it. */
export type Launch = {
  epoch: number;
  /** Wished for or ordered, and neither its exit nor its refusal is stored. */
  active: boolean;
  /** The session has not let it start yet: no runner knows of it. */
  waits?: boolean;
  stopping: boolean;
  /** Bytes of the spool that are stored. */
  offset: number;
  /** Observations that are stored. */
  observed: number;
  /** Inputs given in this epoch. */
  inputs: number;
  /** Inputs that stand in the agent's stdin. */
  written: number;
  /** Inputs that stood there when the agent last said something. */
  heard: number;
  /** The home that has the process; none has said so yet. */
  home?: string;
};

/** Everything that an append needs to know; one row, written with the events it describes. */
export type ThreadState = {
  seq: number;
  hash: string;
  lifecycle: Lifecycle;
  run: OpenRun | null;
  /** Events outside of any run. */
  loose: number;
  launch: Launch;
  /** The epoch whose work a fresh process is to take up, until one has said something. */
  fresh?: number | null;
  /** Handoffs since a person's message, a commit or a completed run. */
  handoffs?: number;
  /** A person has asked this epoch to hand off, and filepath does when the time has come. Null: it is held still. */
  handoffAsked?: { epoch: number; due: number | null } | null;
  /** When the provider's limit ends that was met last, as epoch milliseconds. */
  limit?: number;
  /** It is over, whatever its time says. */
  limitPassed?: boolean;
  /** The seq of its event. */
  limitSeq?: number;
  /** The gateway met it. */
  limitMetered?: boolean;
  /** When the agent was let go on last, as epoch milliseconds. */
  limitLetGo?: number;
  /** A model was called since it is over. */
  limitTried?: boolean;
  /** The end of the last limit for which a run went on without a pause. */
  limitGone?: number;
  /** A run ended by it, with so many inputs given: the next process is told to go on. */
  goOn?: number | null;
  /** The seq of that run's first event, and of the limit. */
  goOnRun?: number;
  goOnUpTo?: number;
  /** The seq of the message that it worked on. */
  goOnTask?: number | null;
  /** By what it failed, while its status says so. */
  failed?: Failed | undefined;
  /** Ids of the drafts, so that a text without one costs no query. */
  drafts: readonly string[];
  /** The pause that the session last told, as JSON; none where it is absent. */
  held?: string | undefined;
  /** Messages that wait in the queue, so that a thread without one costs no query. */
  queued?: number;
  /** The seq of the first message that came while the process was being ended: it goes when it has ended, after a stop too. */
  wakes?: number | undefined;
};

/** A run is open, or one opens as soon as the next process may start. */
export function isAtWork({ lifecycle, launch }: ThreadState): boolean {
  return lifecycle.open || lifecycle.handing || launch.waits === true;
}

export const FRESH: ThreadState = {
  seq: 0,
  hash: GENESIS,
  lifecycle: INITIAL,
  run: null,
  loose: 0,
  launch: {
    epoch: 0,
    active: false,
    stopping: false,
    offset: 0,
    observed: 0,
    inputs: 0,
    written: 0,
    heard: 0,
  },
  drafts: [],
};
