import type { LiteclawToolsPut } from '@filepath/protocol';
import type { ExecutorKind, SkyToolName, ToolOutcome } from '@filepath/protocol/sky';

/** What the owner of the chat lets its tools do. */
export type ToolRules = LiteclawToolsPut;

/** One call, as a tool sees it. */
export type ToolScope = {
  readonly rules: ToolRules;
  /** Aborted when the person stops the answer, and when the time for tools is over. */
  readonly signal: AbortSignal;
  /** Bytes that the run may still move. */
  readonly bytesLeft: () => number;
  /** Tells of bytes that are neither arguments nor result. */
  readonly moved: (bytes: number) => void;
};

export type ClawTool = {
  readonly name: SkyToolName;
  readonly description: string;
  /** `either`: the tool itself looks at what the policy allows. */
  readonly access: 'read' | 'write' | 'either';
  /** Where a call runs by these rules; in the worker unless told. */
  readonly executor?: (rules: ToolRules) => ExecutorKind;
  /** Takes what the schema of its name has parsed. What it throws is a failure in words. */
  readonly run: (args: unknown, scope: ToolScope) => Promise<ToolOutcome>;
};

/** As providers take it: their names have no dots. */
export const modelName = (name: string): string => name.replaceAll('.', '_');
