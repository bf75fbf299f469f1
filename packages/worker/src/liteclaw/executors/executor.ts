import type { ExecutorKind, ToolOutcome } from '@filepath/protocol/sky';
import type { ClawTool, ToolScope } from '../tools/tool.ts';

/** Tools that work on files: where they run is the owner's choice. */
export const EXECUTED = ['read', 'edit', 'write', 'bash'] as const;
export type ExecutedTool = (typeof EXECUTED)[number];

/**
 * Where tools run that work on files. Whatever happens is an outcome; what is thrown is a failure in words. Events and
 * receipts are made of the outcome alone, and so are the same from each.
 */
export type Executor = {
  readonly run: (tool: ExecutedTool, args: unknown, scope: ToolScope) => Promise<ToolOutcome>;
};

type Others = Readonly<Record<Exclude<ExecutorKind, 'workers'>, Executor>>;

/** A tool of the worker, which runs elsewhere when its owner says so. Never anywhere else instead. */
export function executed(tool: ClawTool, others: Others): ClawTool {
  const name = EXECUTED.find((one) => one === tool.name);
  if (name === undefined) return tool;
  return {
    ...tool,
    executor: ({ executor = 'workers' }) => executor,
    run: (args, scope) => {
      const { executor = 'workers' } = scope.rules;
      return executor === 'workers'
        ? tool.run(args, scope)
        : others[executor].run(name, args, scope);
    },
  };
}
