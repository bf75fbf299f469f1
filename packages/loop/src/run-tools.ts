import { cutMiddle } from './cut.ts';
import type { Emit } from './events.ts';
import { INTERRUPTED, toolMessage } from './history.ts';
import { failed, type LoopTool, type ToolResult } from './tool.ts';

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The call itself was wrong: no such tool, or an input that does not fit. */
  readonly fault?: string;
};

type Context = {
  readonly tools: readonly LoopTool[];
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly maxResultChars: number;
};

/** Runs the calls of one answer. Neighbours that only read run side by side, everything else in its order. */
export async function runTools(calls: readonly ToolCall[], context: Context): Promise<void> {
  for (const batch of batches(calls, context.tools)) {
    await Promise.all(batch.map((call) => runOne(call, context)));
  }
}

function batches(calls: readonly ToolCall[], tools: readonly LoopTool[]): ToolCall[][] {
  const out: { readOnly: boolean; calls: ToolCall[] }[] = [];
  for (const call of calls) {
    const readOnly = tools.find(({ name }) => name === call.name)?.readOnly ?? false;
    const last = out.at(-1);
    if (readOnly && last?.readOnly) last.calls.push(call);
    else out.push({ readOnly, calls: [call] });
  }
  return out.map((batch) => batch.calls);
}

async function runOne(call: ToolCall, context: Context): Promise<void> {
  const { id, name, input } = call;
  const started = Date.now();
  await context.emit({ type: 'tool-start', id, name, input });
  const result = await resultOf(call, context);
  await context.emit({
    type: 'message',
    message: toolMessage(call, { ...result, text: cutMiddle(result.text, context.maxResultChars) }),
  });
  const durationMs = Date.now() - started;
  await context.emit({ type: 'tool-end', id, name, input, result, durationMs });
}

async function resultOf(call: ToolCall, { tools, signal }: Context): Promise<ToolResult> {
  if (signal.aborted) return failed(INTERRUPTED);
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = tools.map(({ name }) => name).join(', ');
    return failed(`There is no tool ${JSON.stringify(call.name)}. The tools are: ${names}.`);
  }
  if (call.fault !== undefined) return failed(call.fault);
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.map(String).join('.') || '(input)'}: ${message}`,
    );
    return failed(`The input of ${call.name} does not fit its schema. ${issues.join('; ')}`);
  }
  try {
    return await tool.run(call.input, { id: call.id, signal });
  } catch (error) {
    if (signal.aborted) return failed(INTERRUPTED);
    return failed(error instanceof Error ? error.message : String(error));
  }
}
