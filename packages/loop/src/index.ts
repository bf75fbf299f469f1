export { type ModelMessage, modelMessageSchema as ModelMessageSchema } from 'ai';
export { cutMiddle } from './cut.ts';
export type { Emit, LoopEvent, LoopOutcome } from './events.ts';
export { askWhole, type WholeAnswer } from './whole.ts';
export { closingMessages, userMessage } from './history.ts';
export { type LoopOptions, runLoop } from './loop.ts';
export { modelFor, type ModelSettings } from './model.ts';
export { RETRIES, type RetryPolicy } from './retry.ts';
export { defineTool, failed, type LoopTool, type ToolContext, type ToolResult } from './tool.ts';
