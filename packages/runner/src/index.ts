export { Catalog } from './catalog/catalog.ts';
export { catalogReport } from './catalog/report.ts';
export { installTool, type ToolsContext, toolVersion } from './catalog/tools.ts';
export { findEngine } from './container/find-engine.ts';
export { checkSandbox } from './executor/self-test.ts';
export { type Availability, Refusal } from './executor/executor.ts';
export type { RunnerLog } from './log.ts';
export { type Runner, type RunnerOptions, startRunner } from './runner.ts';
export { limitsHere } from './limits/agent-limits.ts';
