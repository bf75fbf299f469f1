import { z } from 'zod';

/**
 * What filepath reads of the Agent Client Protocol. Programs differ in what they send, so every part is loose: a part
 * that is not understood counts as absent.
 */
const text = z.string().nullish().catch(null);
const meta = z.looseObject({}).nullish().catch(null);

export const ContentBlock = z.looseObject({ type: z.string(), text, uri: text });
export type ContentBlock = z.infer<typeof ContentBlock>;

const ToolContent = z.looseObject({
  type: z.string(),
  content: ContentBlock.nullish().catch(null),
  path: text,
  oldText: text,
  newText: text,
});

export const ToolCall = z.looseObject({
  toolCallId: z.string().min(1),
  name: text,
  title: text,
  kind: text,
  status: text,
  content: z.array(ToolContent).nullish().catch(null),
  locations: z
    .array(z.looseObject({ path: z.string() }))
    .nullish()
    .catch(null),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: meta,
});
export type ToolCall = z.infer<typeof ToolCall>;

const count = z.number().min(0);

export const SessionUpdate = z.discriminatedUnion('sessionUpdate', [
  z.looseObject({
    sessionUpdate: z.enum(['agent_message_chunk', 'agent_thought_chunk']),
    content: ContentBlock,
    messageId: text,
    _meta: meta,
  }),
  ToolCall.extend({ sessionUpdate: z.enum(['tool_call', 'tool_call_update']) }),
  z.looseObject({
    sessionUpdate: z.literal('plan'),
    entries: z.array(z.looseObject({ content: z.string(), status: text })),
  }),
  z.looseObject({ sessionUpdate: z.literal('usage_update'), used: count, size: count }),
  z.looseObject({
    sessionUpdate: z.literal('notice'),
    severity: text,
    title: z.string(),
  }),
  z.looseObject({
    sessionUpdate: z.literal('compaction_update'),
    status: text,
    summary: z.array(ContentBlock).nullish().catch(null),
  }),
  z.looseObject({ sessionUpdate: z.literal('compaction_summary_chunk'), content: ContentBlock }),
  z.looseObject({ sessionUpdate: z.literal('session_info_update'), _meta: meta }),
]);
export type SessionUpdate = z.infer<typeof SessionUpdate>;

/** Of a session/update, whatever it holds. */
export const SessionNotification = z.looseObject({
  sessionId: z.string(),
  update: z.looseObject({ sessionUpdate: z.string() }),
});

export const PermissionRequest = z.looseObject({
  sessionId: z.string(),
  toolCall: ToolCall,
  options: z
    .array(z.looseObject({ optionId: z.string(), name: z.string(), kind: text }))
    .min(1)
    .max(32),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

export const Initialized = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().nullish().catch(null),
      sessionCapabilities: z.looseObject({}).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  authMethods: z
    .array(z.looseObject({ id: z.string() }))
    .nullish()
    .catch(null),
  _meta: meta,
});
export type Initialized = z.infer<typeof Initialized>;

const ConfigOption = z.looseObject({
  id: z.string(),
  category: text,
  type: text,
  currentValue: z.unknown(),
  options: z
    .array(
      z.looseObject({
        value: text,
        name: text,
        options: z
          .array(z.looseObject({ value: z.string() }))
          .nullish()
          .catch(null),
      }),
    )
    .nullish()
    .catch(null),
});
export type ConfigOption = z.infer<typeof ConfigOption>;

/** The answer to session/new, session/load and session/resume; only the first names the session. */
export const OpenedSession = z.looseObject({
  sessionId: z.string().min(1).max(512).optional(),
  modes: z
    .looseObject({
      currentModeId: text,
      availableModes: z
        .array(z.looseObject({ id: z.string() }))
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
  configOptions: z.array(ConfigOption).nullish().catch(null),
});
export type OpenedSession = z.infer<typeof OpenedSession>;

export const PromptAnswer = z.looseObject({
  stopReason: z.string(),
  usage: z
    .looseObject({
      inputTokens: count.nullish().catch(null),
      outputTokens: count.nullish().catch(null),
      cachedReadTokens: count.nullish().catch(null),
      cachedWriteTokens: count.nullish().catch(null),
    })
    .nullish()
    .catch(null),
});
export type PromptAnswer = z.infer<typeof PromptAnswer>;

export type PermissionAnswer = {
  readonly outcome:
    { readonly outcome: 'cancelled' } | { readonly outcome: 'selected'; readonly optionId: string };
};
