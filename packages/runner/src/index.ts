export { findEngine } from './container/find-engine.ts';
export { checkSandbox } from './executor/self-test.ts';
export type { Availability } from './executor/executor.ts';
export type { RunnerLog } from './log.ts';
export { type Runner, type RunnerOptions, startRunner } from './runner.ts';
export { limitsHere } from './limits/agent-limits.ts';
