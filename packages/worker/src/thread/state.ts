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
};

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
  /** Ids of the drafts, so that a text without one costs no query. */
  drafts: readonly string[];
};

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
