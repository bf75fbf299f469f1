import type { AgentState } from '../fap/events.ts';
import type { TokenCounts } from '../gateway/usage.ts';
import type { GivenMemory } from '../memory/given.ts';
import type { MemoryScope } from '../memory/memory.ts';
import type { Attachment } from '../thread/attachments.ts';
import type { GateCheck } from '../thread/gates.ts';

/**
 * What a thread shows, in order. `id` is stable while a block changes; `seq` is that of its first event, or of
 * the last event before a draft began.
 */
export type Base = { id: string; seq: number; at: string; verified: boolean };

export type WorkStatus = 'start' | 'done' | 'error';

export type MessageBlock = Base & {
  kind: 'message';
  from: 'user' | 'parent' | 'system' | 'child';
  /** Whose work has ended, where it is from a child. */
  child: { id: string; name: string } | null;
  content: string;
  attachments?: readonly Attachment[] | undefined;
};
/** A message that the agent gets when its open run has ended. It stands at the end of the thread. */
export type QueuedBlock = Base & {
  kind: 'queued';
  /** Its id in the queue. */
  message: string;
  content: string;
  attachments?: readonly Attachment[] | undefined;
  /** `standing`: the agent was stopped; it goes on after a later run. */
  state: 'waiting' | 'standing';
};
export type TextBlock = Base & {
  kind: 'text';
  content: string;
  /** Still being written. */
  partial: boolean;
  /** The agent ended before it finished the text. */
  truncated: boolean;
};
export type ToolBlock = Base & {
  kind: 'tool';
  name: string;
  path: string | null;
  status: WorkStatus;
  input: unknown;
  output: string | null;
  diff: string | null;
  durationMs: number | null;
};
export type CommandBlock = Base & {
  kind: 'command';
  cmd: string;
  status: WorkStatus;
  exit: number | null;
  stdout: string | null;
  stderr: string | null;
  durationMs: number | null;
};
export type CommitsBlock = Base & {
  kind: 'commits';
  /**
   * `verified`: the runner saw it in the workspace, on `branch` where HEAD named one. The block is verified if all
   * of them are.
   */
  commits: { hash: string; message: string; verified: boolean; branch: string | null }[];
};
export type SpawnBlock = Base & {
  kind: 'spawn';
  name: string;
  agent: string;
  model: string;
  task: string | null;
  state: 'pending' | 'created' | 'failed';
  node: string | null;
  reason: string | null;
};
export type WorkersBlock = Base & {
  kind: 'workers';
  /** The system knows how children are; what an agent says of them is its word. */
  by: 'system' | 'agent';
  workers: { name: string; status: AgentState; id?: string; reason?: string | null }[];
};
export type StatusBlock = Base & {
  kind: 'status';
  state: AgentState;
  reason: string | null;
  contextPct: number | null;
};
export type HandoffBlock = Base & {
  kind: 'handoff';
  /** What the agent left. Null: it said nothing, or starts again from an earlier handoff. */
  summary: string | null;
  /** The fresh process that goes on, and what it was told first. */
  next: { why: 'handoff' | 'asked' | 'restart'; from: number; to: number; content: string } | null;
};
export type DoneBlock = Base & { kind: 'done'; summary: string | null };
export type PlanBlock = Base & {
  kind: 'plan';
  steps: { title: string; status: 'pending' | 'active' | 'done' | 'error' }[];
};
export type UsageBlock = Base & {
  kind: 'usage';
  model: string | null;
  input: number;
  output: number;
  cost: number | null;
};
/** Calls to models in one run, as the gateway metered them. */
export type CallsBlock = Base & {
  kind: 'calls';
  /** Null: they were made outside of any. */
  run: string | null;
  calls: number;
  models: string[];
  tokens: TokenCounts;
  /** Null: one of them has no known price. */
  costUsd: number | null;
  /** Some of the counts are upper bounds. */
  estimated: boolean;
};
export type DecisionBlock = Base & {
  kind: 'decision';
  decision: string;
  prompt: string;
  options: string[];
  /** What it is about, by content. */
  hash: string | null;
  /** `over`: nobody is there any more to take an answer. */
  state: 'open' | 'answered' | 'over';
  choice: string | null;
  /** A rule has answered it. */
  byRule: boolean;
  /** The agent asks leave: the answer may be kept for equal questions. */
  permission: boolean;
};
/** The commands that must pass before what an agent calls done is done. */
export type GateBlock = Base & {
  kind: 'gate';
  job: string;
  attempt: number;
  /** `over`: it was called off, or could not be run. */
  state: 'checking' | 'passed' | 'failed' | 'over';
  commit: string | null;
  clean: boolean;
  checks: GateCheck[];
  note: string | null;
};
/** What the agent asked to be remembered. */
export type MemoryBlock = Base & {
  kind: 'memory';
  content: string;
  scope: MemoryScope | null;
};
/** What the agent was given of memory at its start. */
export type MemoriesBlock = Base & { kind: 'memories'; memories: readonly GivenMemory[] };
export type LogBlock = Base & {
  kind: 'log';
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  /** The start of a rejected line. */
  head: string | null;
};
/** What the runner or the control plane did: started, exit, refused, signal. */
export type NoticeBlock = Base & {
  kind: 'notice';
  level: 'info' | 'warn' | 'error';
  text: string;
  detail: string | null;
};
/** A body kept in the blob store. */
export type BlobBlock = Base & { kind: 'blob'; type: string; sha256: string; bytes: number };
/** A body this reader does not know. */
export type UnknownBlock = Base & { kind: 'unknown'; source: string; json: string };

export type Block =
  | MessageBlock
  | QueuedBlock
  | TextBlock
  | ToolBlock
  | CommandBlock
  | CommitsBlock
  | SpawnBlock
  | WorkersBlock
  | StatusBlock
  | HandoffBlock
  | DoneBlock
  | PlanBlock
  | UsageBlock
  | CallsBlock
  | DecisionBlock
  | GateBlock
  | MemoryBlock
  | MemoriesBlock
  | LogBlock
  | NoticeBlock
  | BlobBlock
  | UnknownBlock;
