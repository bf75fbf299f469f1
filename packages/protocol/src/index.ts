export {
  CallId,
  JobId,
  MemoryId,
  MessageId,
  newCallId,
  newJobId,
  newMemoryId,
  newMessageId,
  newPasskeyId,
  newRunId,
  newSessionId,
  newSnapshotId,
  newStepId,
  newThreadId,
  newTokenId,
  newTunnelId,
  PasskeyId,
  RunId,
  RunnerId,
  SessionId,
  SnapshotId,
  snapshotOfJob,
  StepId,
  ThreadId,
  TokenId,
  TunnelId,
} from './ids.ts';
export { ErrorBody, ErrorCode, ERRORS, FilepathError, Issue, issuesOf } from './errors.ts';
export { deeperThan, sameJson } from './json.ts';
export { LIMITS } from './limits.ts';
export {
  AgentDriver,
  AgentEntry,
  AgentInstall,
  AgentTypeName,
  canBeSteered,
} from './catalog/entry.ts';
export { CATALOG } from './catalog/index.ts';
export { CatalogItem, ProgramPlace } from './catalog/item.ts';
export {
  addTokens,
  Budget,
  NO_BUDGET,
  NO_TOKENS,
  NO_USAGE,
  TokenCounts,
  totalTokens,
  UsageTotals,
} from './gateway/usage.ts';
export {
  BudgetDefaults,
  BudgetPut,
  BudgetState,
  NodeBudgetPut,
  NodeBudgetState,
} from './gateway/budget.ts';
export {
  GatewayBody,
  GatewayCall,
  GatewayRefused,
  RefusalCode,
  WireFormat,
} from './gateway/events.ts';
export { formatFor, OFFLINE_MODEL } from './models/format.ts';
export { Model, ModelGroup, ModelList, ModelPrice } from './models/model.ts';
export {
  Provider,
  ProviderCreate,
  ProviderId,
  ProviderKind,
  ProviderTest,
  ProviderUrl,
} from './api/providers.ts';
export {
  Address,
  ApiToken,
  Device,
  DeviceLink,
  DeviceLinkCreate,
  Passkey,
  PasskeyCreate,
  PasskeySignIn,
  TOKEN_DAYS,
  TokenCreate,
  TokenCreated,
} from './api/identity.ts';
export { RunnerInfo } from './api/runners.ts';
export {
  Liteclaw,
  LiteclawApprove,
  LiteclawFailure,
  LiteclawPost,
  LiteclawState,
  LiteclawImported,
} from './liteclaw/api.ts';
export {
  CHAT_LIMITS,
  ChatBody,
  ChatFrame,
  ChatMessageHead,
  ChatUserMessage,
} from './liteclaw/frames.ts';
export {
  LiteclawTools,
  LiteclawToolsPut,
  LiteclawWorkspace,
  LiteclawWorkspacePost,
  ToolPolicy,
  type WorkspaceSnapshot,
} from './liteclaw/tools.ts';
export {
  LiteclawTunnel,
  TunnelCreate,
  TunnelCreated,
  TunnelPost,
  TunnelTool,
} from './liteclaw/tunnels.ts';
export { unifiedDiff } from './unified-diff.ts';
export { REDACTED, redactorOf } from './redaction/redactor.ts';
export {
  AgentEvent,
  type AgentEventType,
  AgentInput,
  AgentState,
  CommandEvent,
  CommitEvent,
  DecisionEvent,
  DecisionMessage,
  DoneEvent,
  encodeInput,
  HandoffEvent,
  LogLineEvent,
  MemoryEvent,
  parseAgentLine,
  type ParsedLine,
  PlanEvent,
  rejectedLine,
  RejectedLine,
  SignalMessage,
  SpawnEvent,
  StatusEvent,
  TextEvent,
  ToolEvent,
  UsageEvent,
  UserMessage,
  WorkersEvent,
} from './fap/index.ts';
export { Receipt, RunReceipt, ToolReceipt } from './sky/receipts.ts';
export { CF_SKY_VERSION, SESSION_VERSION } from './sky/versions.ts';
export { type Line, readLines } from './lines.ts';
export {
  AgentToRunner,
  AgentToWorker,
  Answer,
  CatalogReport,
  ControlToRunner,
  ControlToWorker,
  Executor,
  FreezeOrder,
  InputLine,
  JobOrder,
  JobWork,
  Limits,
  LINK_VERSION,
  MachineCheck,
  Order,
  Question,
  RemoveOrder,
  SpoolLine,
  StartOrder,
  StopOrder,
} from './link/index.ts';
export { ToolDone, type ToolFile, ToolWork } from './link/tool-work.ts';
export { AttentionFrame, ThreadFrame, TreeFrame, ViewerFrame } from './feed/index.ts';
export {
  decodeLogEvent,
  encodeLogEvent,
  isVerified,
  LogEvent,
  Source,
} from './thread/log-event.ts';
export {
  type ChainFault,
  type ChainPlace,
  CHAIN_START,
  chainHash,
  chainInput,
  ChainReader,
  GENESIS,
  type Sha256,
} from './thread/chain.ts';
export {
  blobKey,
  BlobRef,
  blobRef,
  ExitReason,
  RunnerBody,
  RunnerDenied,
  RunnerExit,
  RunnerRefused,
  RunnerStarted,
  RunnerHead,
  RunnerHeld,
  RunnerReleased,
  RunnerSilent,
  RunnerImage,
  RunnerWorkspace,
  SystemBody,
  SystemOverlap,
  SystemSpawned,
  SystemSpawnFailed,
  SystemWorkers,
} from './thread/bodies.ts';
export {
  asksForWork,
  GATE_ATTEMPTS,
  GateCheck,
  GateCommand,
  gateMessage,
  GateResult,
  Gates,
  namedCommands,
  RunnerGates,
} from './thread/gates.ts';
export { MAX_HANDOFFS, SystemHandoff, SystemHandoffLimit } from './thread/handoff.ts';
export { SystemLimit } from './thread/limit.ts';
export { Delivery, QUEUE_LIMITS, QueueBody, QueuedMessage } from './thread/queue.ts';
export { HealthCheck, healthMessage, RepositoryFile, RunnerHealth } from './thread/health.ts';
export {
  advance,
  type Advance,
  INITIAL,
  type Lifecycle,
  lifecycleOf,
  owes,
  type RunOutcome,
  WAITING,
} from './thread/lifecycle.ts';
export {
  AgentMemoryCreate,
  Memory,
  MEMORY_LIMITS,
  MemoryCreate,
  MemoryPatch,
  MemoryScope,
  MemorySource,
  MemoryStored,
} from './memory/memory.ts';
export { GivenMemory, givenMemory, memoriesMessage, SystemMemories } from './memory/given.ts';
export { repositoryKey } from './memory/repository-key.ts';
export { silentFor, stalledFor } from './thread/silence.ts';
export { JobResult } from './thread/job-results.ts';
export { type Completion, completionOf } from './thread/completion.ts';
export { AgentConfig, MASK, maskConfig } from './api/agent-config.ts';
export {
  type AllowedHost,
  canonicalHost,
  DEFAULT_NETWORK,
  NetworkConfig,
  parseAllowedHost,
} from './api/network.ts';
export {
  Node,
  NodeEntry,
  NodeFailure,
  Session,
  SessionActivity,
  SessionStatus,
  Tree,
  TreeChange,
} from './api/resources.ts';
export {
  AttentionAnswer,
  AttentionChange,
  AttentionItem,
  AttentionKind,
  Rule,
  RuleScope,
} from './api/attention.ts';
export { cleanName, NodeName } from './api/node-name.ts';
export {
  Child,
  Children,
  ChildMessages,
  ChildMessageCreate,
  ChildrenWait,
  GoneChild,
  HANDED_HEADER,
  MAX_WAIT_SECONDS,
  SpawnCreate,
  worksStill,
} from './api/agent-api.ts';
export {
  DecisionCreate,
  GitRepoUrl,
  MessageCreate,
  NodeCreate,
  NodePatch,
  PushCreate,
  QueuePatch,
  RepositoryCheckCreate,
  SessionCreate,
  SessionPatch,
  SignalCreate,
} from './api/requests.ts';
export { Snapshot, SNAPSHOT_VERSION, SnapshotManifest, SnapshotSource } from './api/snapshot.ts';
export {
  MANIFEST_BYTES,
  MANIFEST_NAME,
  readSnapshotHead,
  SNAPSHOT_HEAD,
} from './api/snapshot-head.ts';
export { BranchName } from './git/branch-name.ts';
export { CommitHash } from './git/commit-hash.ts';
export {
  ChangedFile,
  Changes,
  CHANGES_BYTES,
  CHANGES_FILES,
  Hunk,
  NodeWork,
  Touched,
  TOUCHED_FILES,
  TOUCHED_RANGES,
  TouchedFile,
} from './git/changes.ts';
export {
  Attachment,
  attachmentOf,
  AttachmentRef,
  FILE_LIMITS,
  FileName,
  fileKey,
  fileNameOf,
  INBOX,
  KeptFile,
  MediaType,
  toldContent,
} from './thread/attachments.ts';
export { FILES_FOUND, FilesQuery, FoundFiles } from './git/files.ts';
export {
  CONFLICT_FILES,
  ConflictFile,
  MergeCreate,
  MergeResolve,
  ResolveBy,
  MergeInto,
  MergeTarget,
  NodeConflict,
  NodeWaiting,
  NodeOverlap,
} from './git/merge.ts';
export { shownPath } from './git/shown-path.ts';
export { RepositoryCheck, RepositoryFound } from './git/repository.ts';
export { TailQuery, ThreadRun, ThreadTail } from './api/tail.ts';
export { EXPORT_VERSION, exportClaim, ExportEnd, ExportHeader, ExportLine } from './api/export.ts';
export type { Block } from './blocks/block.ts';
export { BlockReducer, toBlocks } from './blocks/reducer.ts';
