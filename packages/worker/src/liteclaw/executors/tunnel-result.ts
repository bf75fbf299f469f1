import {
  hashJson,
  isSignedBy,
  refusal,
  reportClaim,
  type ToolOutcome,
  TunnelReport,
  type TunnelRequest,
  type TunnelToWorker,
} from '@filepath/protocol/sky';

type Result = Extract<TunnelToWorker, { t: 'result' }>;

/** The report of a frame, whoever wrote it. Null: it is none. */
export function reportOf({ report }: Result): TunnelReport | null {
  try {
    return TunnelReport.parse(JSON.parse(report));
  } catch {
    return null;
  }
}

/** What a machine gave back, if it is signed by its key and about this request; a refusal in words if not. */
export async function outcomeOf(
  { thread, tunnel, nonce, tool, args }: TunnelRequest,
  publicKey: string,
  frame: Result,
): Promise<ToolOutcome> {
  const no = (words: string): ToolOutcome =>
    refusal('unverified', `What the machine sent back is not taken: ${words}.`);
  const { report: claim, signature, output } = frame;
  if (!(await isSignedBy(publicKey, signature, reportClaim(claim))))
    return no('its signature is not of the key of this tunnel');
  const report = reportOf(frame);
  if (report === null) return no('it is no report');
  const asked = [thread, tunnel, nonce, tool, await hashJson(args)];
  const said = [report.thread, report.tunnel, report.nonce, report.tool, report.args_hash];
  if (asked.some((value, at) => value !== said[at])) return no('it is about another request');
  if (report.output_hash !== (await hashJson(output)))
    return no('the result is not the one that was signed');
  const { status, error_code: code, change } = report;
  return {
    ok: status === 'completed',
    output,
    ...(code === undefined ? {} : { code }),
    ...(change && { change }),
    local: { public_key: publicKey, signature, claim },
  };
}
