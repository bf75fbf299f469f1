import type { TunnelTool } from '@filepath/protocol';
import {
  type Files,
  hashJson,
  refusal,
  reportClaim,
  runDeterministic,
  TOOL_ARGS,
  type ToolOutcome,
  TUNNEL_LIMITS,
  TUNNEL_VERSION,
  type TunnelReport,
  type TunnelRequest,
  type TunnelToWorker,
} from '@filepath/protocol/sky';
import { reasonOf } from '../log.ts';
import type { LocalKey } from './local-key.ts';
import { ScopeRefusal } from './scoped-files.ts';

type Here = {
  readonly files: Files;
  /** What this machine lets through, whatever the chat may do. */
  readonly tools: readonly TunnelTool[];
  readonly key: Pick<LocalKey, 'sign'>;
  readonly now: () => number;
};

type Result = Extract<TunnelToWorker, { t: 'result' }>;

/** Carries out a request that was found good. Refusals are results too, and signed like them. */
export async function runRequest(here: Here, request: TunnelRequest): Promise<Result> {
  const { key, now } = here;
  const { thread, tunnel, nonce, tool, args } = request;
  const at = now();
  const { ok, output, code, change } = bounded(await outcomeOf(here, tool, args));
  const report: TunnelReport = {
    v: TUNNEL_VERSION,
    thread,
    tunnel,
    nonce,
    tool,
    args_hash: await hashJson(args),
    output_hash: await hashJson(output),
    status: ok ? 'completed' : 'error',
    ...(code === undefined ? {} : { error_code: code }),
    ...(change && { change }),
    started_at: new Date(at).toISOString(),
    duration_ms: Math.max(0, now() - at),
  };
  const text = JSON.stringify(report);
  return { t: 'result', report: text, signature: key.sign(reportClaim(text)), output };
}

async function outcomeOf(here: Here, name: string, args: unknown): Promise<ToolOutcome> {
  const tool = here.tools.find((one) => one === name);
  if (tool === undefined) {
    const allowed = here.tools.join(', ');
    return refusal('not_allowed', `This machine does not let ${name} through, only ${allowed}.`);
  }
  const parsed = TOOL_ARGS[tool].safeParse(args);
  if (!parsed.success) return refusal('bad_args', `The arguments of ${name} do not fit.`);
  try {
    return await runDeterministic(tool, args, here.files);
  } catch (error) {
    if (error instanceof ScopeRefusal) return refusal(error.code, error.message);
    return refusal('failed', reasonOf(error).slice(0, 2_000));
  }
}

function bounded(outcome: ToolOutcome): ToolOutcome {
  if (JSON.stringify(outcome.output).length <= TUNNEL_LIMITS.output) return outcome;
  return refusal('too_large', 'The result is too large to be sent.');
}
