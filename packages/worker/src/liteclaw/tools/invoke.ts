import { refusal, type ToolOutcome } from '@filepath/protocol/sky';
import type { RunBudget } from './budget.ts';
import type { ClawTool, ToolRules } from './tool.ts';

const encoder = new TextEncoder();
export const bytesOf = (value: unknown): number =>
  encoder.encode(JSON.stringify(value ?? null)).length;

const HINT = 'Its owner can change that in the settings of the chat.';

type Invocation = {
  /** As they are at this moment: a change holds for the next call. */
  readonly rules: () => ToolRules;
  readonly budget: RunBudget;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly hosts?: readonly string[];
};

/** One call within policy and budget. Whatever happens is an outcome; nothing is thrown. */
export async function invoke(
  tool: ClawTool,
  args: unknown,
  { rules: standing, budget, signal, now, hosts }: Invocation,
): Promise<ToolOutcome> {
  const rules = standing();
  const { policy } = rules;
  if (policy === 'none')
    return refusal('policy', `The tools of this chat are switched off. ${HINT}`);
  if (tool.access === 'write' && policy !== 'read-write')
    return refusal('policy', `${tool.name} changes something, and this chat is read-only. ${HINT}`);
  const refused = budget.take(bytesOf(args));
  if (refused) return refused;
  const started = now();
  const { callMs } = budget;
  const late = AbortSignal.timeout(callMs);
  const either = AbortSignal.any([signal, late]);
  try {
    const outcome = await Promise.race([
      tool.run(args, {
        rules,
        signal: either,
        bytesLeft: () => budget.bytesLeft,
        moved: (bytes) => budget.moved(bytes),
        ...(hosts && { hosts }),
        use: (other, given, only) =>
          invoke(other, given, { rules: standing, budget, signal: either, now, hosts: only }),
      }),
      aborted(either),
    ]);
    budget.moved(bytesOf(outcome.output));
    return outcome;
  } catch (error) {
    if (signal.aborted) return refusal('interrupted', 'It was stopped before it ended.');
    if (late.aborted) return refusal('timeout', `${tool.name} took too long.`);
    const words = error instanceof Error ? error.message : String(error);
    return refusal('failed', words.slice(0, 2_000));
  } finally {
    // The clock may not have come as far as the timer.
    budget.took(late.aborted ? Math.max(callMs, now() - started) : now() - started);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new Error('aborted'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
