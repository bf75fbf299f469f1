import type { LiteclawToolsPut } from '@filepath/protocol';
import {
  type ExecutorKind,
  type SkyToolName,
  TOOL_ARGS,
  type ToolOutcome,
} from '@filepath/protocol/sky';
import type { z } from 'zod';

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
  /** Hosts that the call is held to, beside those of the rules. */
  readonly hosts?: readonly string[];
  /** Another tool within this call, within the same policy and budget. */
  readonly use?: (tool: ClawTool, args: unknown, hosts: readonly string[]) => Promise<ToolOutcome>;
};

/** One of the contract has its arguments there; one of an extension brings them. */
type Named =
  | { readonly name: SkyToolName; readonly input?: undefined }
  | { readonly name: string; readonly input: z.ZodType };

export type ClawTool = Named & {
  readonly description: string;
  /** `either`: the tool itself looks at what the policy allows. */
  readonly access: 'read' | 'write' | 'either';
  /** Where a call runs by these rules; in the worker unless told. */
  readonly executor?: (rules: ToolRules) => ExecutorKind;
  /** Takes what the schema of its name has parsed. What it throws is a failure in words. */
  readonly run: (args: unknown, scope: ToolScope) => Promise<ToolOutcome>;
};

export const argsOf = (tool: ClawTool): z.ZodType => tool.input ?? TOOL_ARGS[tool.name];

/** As providers take it: their names have no dots. */
export const modelName = (name: string): string => name.replaceAll('.', '_');
