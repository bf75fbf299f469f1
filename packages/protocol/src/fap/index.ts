export {
  AgentEvent,
  type AgentEventType,
  AgentState,
  CommandEvent,
  CommitEvent,
  DecisionEvent,
  DoneEvent,
  HandoffEvent,
  LogLineEvent,
  MemoryEvent,
  PlanEvent,
  SpawnEvent,
  StatusEvent,
  TextEvent,
  ToolEvent,
  UsageEvent,
  WorkersEvent,
} from './events.ts';
export { AgentInput, DecisionMessage, SignalMessage, UserMessage } from './input.ts';
export {
  encodeInput,
  parseAgentLine,
  type ParsedLine,
  rejectedLine,
  RejectedLine,
} from './codec.ts';
