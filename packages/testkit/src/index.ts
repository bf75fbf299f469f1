export { type Commit, git, makeRepo } from './git.ts';
export { SCRIPT_AGENTS, scriptAgent, type ScriptAgent } from './script-agent.ts';
export { tempDir, type TempDir } from './temp.ts';
export { smallDisk, type SmallDisk } from './small-disk.ts';
export {
  BASE_IMAGE,
  type ContainerEngine,
  engineAnswers,
  hasPodman,
  PODMAN_CONF,
  startContainerEngine,
} from './container-engine.ts';
export { agentPids, endAgents, shimPids } from './agents-of-home.ts';
export { Api } from './api.ts';
export { type Grown, growTree, type Planted } from './grow-tree.ts';
export { follow, type Follower, isType } from './follow.ts';
export { freePort } from './free-port.ts';
export { type Instance, OWNER_TOKEN, startInstance } from './instance.ts';
export { type Fault, type FaultProxy, faultsBy, startFaultProxy } from './fault-proxy.ts';
export { type Chance, chance } from './seed.ts';
export { startBrowser, type TestBrowser } from './browser.ts';
export { gate, type Gate } from './model-server/gate.ts';
export type { ModelCall } from './model-server/calls.ts';
export type { ModelRequest, ToolResult } from './model-server/request.ts';
export { perConversation } from './model-server/script.ts';
export {
  type ModelServer,
  type ModelServerOptions,
  type Recorded,
  startModelServer,
} from './model-server/server.ts';
export type { ModelFault, Script, Step, ToolCall, Turn } from './model-server/turn.ts';
export { type ModelListServer, startModelList } from './model-list.ts';
