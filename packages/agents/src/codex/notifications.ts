import { z } from 'zod';

/** The notifications of codex app-server, as far as the driver reads them. */
const Change = z.looseObject({
  path: z.string(),
  kind: z.looseObject({ type: z.string(), move_path: z.string().nullish() }),
  diff: z.string(),
});
export type Change = z.infer<typeof Change>;

export const Item = z.looseObject({
  type: z.string(),
  id: z.string(),
  text: z.string().nullish(),
  status: z.string().nullish(),
  command: z.string().nullish(),
  aggregatedOutput: z.string().nullish(),
  exitCode: z.number().nullish(),
  durationMs: z.number().nullish(),
  changes: z.array(Change).optional(),
  summary: z.array(z.string()).optional(),
  content: z.array(z.unknown()).optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).nullish(),
  query: z.string().optional(),
  path: z.string().optional(),
  prompt: z.string().nullish(),
  receiverThreadIds: z.array(z.string()).optional(),
});
export type Item = z.infer<typeof Item>;

const Tokens = z.looseObject({
  totalTokens: z.number(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
});
export type Tokens = z.infer<typeof Tokens>;

export const TurnError = z.looseObject({ message: z.string(), codexErrorInfo: z.unknown() });
export type TurnError = z.infer<typeof TurnError>;

/** A window of a subscription. `resetsAt` is in seconds. */
const Window = z.looseObject({ usedPercent: z.number(), resetsAt: z.number().nullish() });

const threadId = z.string();

export const NOTIFICATIONS = {
  'turn/started': z.looseObject({ threadId, turn: z.looseObject({ id: z.string() }) }),
  'turn/completed': z.looseObject({
    threadId,
    turn: z.looseObject({ id: z.string(), status: z.string(), error: TurnError.nullish() }),
  }),
  'item/started': z.looseObject({ threadId, item: Item }),
  'item/completed': z.looseObject({ threadId, item: Item }),
  'item/agentMessage/delta': z.looseObject({ threadId, itemId: z.string(), delta: z.string() }),
  'turn/plan/updated': z.looseObject({
    threadId,
    plan: z.array(z.looseObject({ step: z.string(), status: z.string() })),
  }),
  'thread/tokenUsage/updated': z.looseObject({
    threadId,
    turnId: z.string().optional(),
    tokenUsage: z.looseObject({
      total: Tokens,
      last: Tokens,
      modelContextWindow: z.number().nullish(),
    }),
  }),
  'account/rateLimits/updated': z.looseObject({
    rateLimits: z.looseObject({ primary: Window.nullish(), secondary: Window.nullish() }),
  }),
  error: z.looseObject({ threadId, error: TurnError, willRetry: z.boolean() }),
  warning: z.looseObject({ threadId: z.string().nullish(), message: z.string() }),
} as const;

export type Notifications = {
  [Method in keyof typeof NOTIFICATIONS]: z.infer<(typeof NOTIFICATIONS)[Method]>;
};
