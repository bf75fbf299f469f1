import type { ToolLimits } from './budget.ts';

/** What the operator sets for the tools of every chat. */
export type ToolEnv = {
  readonly LITECLAW_TOOL_CALLS?: string;
  readonly LITECLAW_TOOL_BYTES?: string;
  readonly LITECLAW_TOOL_SECONDS?: string;
  readonly LITECLAW_WORKSPACE_DAYS?: string;
  /** Hosts with ports in private networks that may be asked: `registry.lan:4873`. */
  readonly FILEPATH_EGRESS_PRIVATE?: string;
};

const DAY = 24 * 60 * 60 * 1000;

export function toolSettings(env: ToolEnv): { limits: ToolLimits; workspaceMs: number } {
  return {
    limits: {
      calls: within(env.LITECLAW_TOOL_CALLS, 8, 1, 100),
      bytes: within(env.LITECLAW_TOOL_BYTES, 1_048_576, 1024, 104_857_600),
      ms: within(env.LITECLAW_TOOL_SECONDS, 60, 1, 600) * 1000,
    },
    workspaceMs: within(env.LITECLAW_WORKSPACE_DAYS, 7, 1, 365) * DAY,
  };
}

function within(text: string | undefined, usual: number, least: number, most: number): number {
  if (text === undefined || !/^[1-9]\d{0,8}$/.test(text.trim())) return usual;
  const value = Number(text);
  return value >= least && value <= most ? value : usual;
}
