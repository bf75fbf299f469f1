import type { z } from 'zod';

/** What a tool gives back. A failure is a result too: the model reads it and goes on. */
export type ToolResult = {
  readonly ok: boolean;
  /** For the model. */
  readonly text: string;
  /** For whoever shows the call: a diff, an exit status. The model does not see it. */
  readonly detail?: Readonly<Record<string, unknown>>;
};

export type ToolContext = { readonly id: string; readonly signal: AbortSignal };

export type LoopTool = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** It changes nothing, and may run beside others that do not either. */
  readonly readOnly: boolean;
  /** Takes what `input` has parsed. May throw: that is a failure like any other. */
  readonly run: (input: unknown, context: ToolContext) => Promise<ToolResult>;
};

/** A tool whose `run` has the type of its input. */
export function defineTool<Schema extends z.ZodType>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly readOnly: boolean;
  readonly run: (input: z.infer<Schema>, context: ToolContext) => Promise<ToolResult>;
}): LoopTool {
  return { ...tool, run: (input, context) => tool.run(tool.input.parse(input), context) };
}

export function failed(text: string, detail?: ToolResult['detail']): ToolResult {
  return { ok: false, text, ...(detail ? { detail } : {}) };
}
