import { newThreadId, type RunId, type RunReceipt } from '@filepath/protocol';

/** A run of six minutes that the agent calls done, unless told otherwise. */
export function receipt(run: RunId, more: Partial<RunReceipt> = {}): RunReceipt {
  return {
    type: 'receipt.run',
    cf_sky_version: '1.0.0',
    thread_id: newThreadId(),
    run_id: run,
    input_hash: '0'.repeat(64),
    output_hash: 'a'.repeat(64),
    model_config_id: 'offline/demo',
    started_at: '2026-01-01T00:00:00.000Z',
    completed_at: '2026-01-01T00:06:12.000Z',
    duration_ms: 372_000,
    status: 'completed',
    ended_by: 4,
    verified: false,
    events: 4,
    ...more,
  };
}
