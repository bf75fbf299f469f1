import { isSignedBy } from '../hashing.ts';
import type { ToolReceipt } from '../receipts.ts';
import { sameJson } from '../../json.ts';
import { reportClaim, TunnelReport } from './wire.ts';

/** Why a receipt does not stand for what a machine signed, or null. A receipt of elsewhere has nothing to say here. */
export async function receiptFault(receipt: ToolReceipt): Promise<string | null> {
  const { local, executor } = receipt;
  if (!local) return null;
  if (executor !== 'tunnel') return 'it is signed by a machine and names another executor';
  const { public_key, signature, claim } = local;
  if (!(await isSignedBy(public_key, signature, reportClaim(claim))))
    return 'the signature of the machine does not match';
  let report: TunnelReport;
  try {
    report = TunnelReport.parse(JSON.parse(claim));
  } catch {
    return 'what the machine signed is no report';
  }
  const same =
    report.thread === receipt.thread_id &&
    report.tool === receipt.tool_name &&
    report.args_hash === receipt.args_hash &&
    report.output_hash === receipt.output_hash &&
    report.status === receipt.status &&
    sameJson(report.change ?? null, receipt.change ?? null);
  return same ? null : 'the machine signed something else';
}
