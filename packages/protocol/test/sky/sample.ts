import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import {
  CHAIN_START,
  chainHash,
  CF_SKY_VERSION,
  type ChainPlace,
  type LogEvent,
  type Receipt,
  RunId,
  StepId,
  ThreadId,
} from '../../src/index.ts';
import {
  type SignClaim,
  type SkyEvent,
  type SkyExportSource,
  type SkyMessage,
  skyRow,
  writeSkyExport,
} from '../../src/sky/index.ts';
import { sha256 } from '../events.ts';

export const thread = ThreadId.parse('th_0123456789ABCDEFGHIJab');
export const run = RunId.parse('run_0123456789ABCDEFGHIJab');
const step = StepId.parse('st_0123456789ABCDEFGHIJab');
export const at = '2026-03-01T12:00:00.000Z';

export type Key = { publicKey: string; sign: SignClaim };

export function newKey(): Key {
  const pair = generateKeyPairSync('ed25519');
  const { x = '' } = pair.publicKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url').toString('base64');
  return {
    publicKey,
    sign: async (claim) => {
      const signature = signBytes(null, Buffer.from(claim), pair.privateKey);
      return { publicKey, signature: signature.toString('base64') };
    },
  };
}

const ids = (event_id: number, step_id: StepId | null = null) => ({
  thread_id: thread,
  run_id: run,
  step_id,
  event_id,
});

export const skyEvents: SkyEvent[] = [
  { type: 'run.started', ...ids(1), model_config_id: 'anthropic/claude', cf_sky_version: '1.1.0' },
  { type: 'tool.call.started', ...ids(2, step), tool_call_id: 'c1', tool_name: 'edit' },
  { type: 'tool.call.delta', ...ids(3, step), tool_call_id: 'c1', delta: '{"path":' },
  { type: 'tool.call.completed', ...ids(4, step), tool_call_id: 'c1', args: { path: 'a.md' } },
  { type: 'tool.result', ...ids(5, step), tool_call_id: 'c1', status: 'completed', output: 'ok' },
  { type: 'model.delta', ...ids(6), delta: 'Done — 完了' },
  { type: 'model.completed', ...ids(7), output: 'Done — 完了', finish_reason: 'stop' },
  { type: 'run.completed', ...ids(8), output_hash: sha256('out') },
];

type Row = ReturnType<typeof skyRow>;

/** The log of one run: a message of the user, then what Sky said. */
export function logOf(events: readonly SkyEvent[], after: ChainPlace = CHAIN_START): LogEvent[] {
  return chained(events.map(skyRow), after);
}

export function chained(rows: readonly Row[], after: ChainPlace = CHAIN_START): LogEvent[] {
  const said = { type: 'message', from: 'user', content: 'Mend a.md' };
  const opened: Row = { thread, run, step: null, event: 0, source: 'user', body: said };
  let place = after;
  return [opened, ...rows].map((row) => {
    const head = { seq: place.seq + 1, ...row, at };
    const hash = chainHash(sha256, place.hash, head, JSON.stringify(row.body));
    place = { seq: head.seq, hash };
    return { ...head, hash };
  });
}

export const messages: SkyMessage[] = [
  {
    id: 'm1',
    thread_id: thread,
    run_id: run,
    role: 'user',
    content: [
      { type: 'text', text: 'Mend a.md' },
      { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
      {
        type: 'ref',
        ref: `r2://blobs/chat/notes.pdf#sha256=${sha256('notes')}`,
        media_type: 'application/pdf',
        filename: 'notes.pdf',
      },
    ],
    created_at: at,
    metadata: {},
  },
  {
    id: 'm2',
    thread_id: thread,
    run_id: run,
    role: 'assistant',
    content: [
      { type: 'json', kind: 'step-start', value: {} },
      { type: 'json', kind: 'reasoning', value: { text: 'It needs a line.' } },
      {
        type: 'json',
        kind: 'tool',
        value: {
          tool_call_id: 'c1',
          tool_name: 'edit',
          state: 'output-available',
          args: { path: 'a.md' },
          output: 'ok',
        },
      },
      { type: 'json', kind: 'step-start', value: {} },
      { type: 'text', text: 'Done — 完了' },
    ],
    created_at: at,
    metadata: {
      model_config_id: 'anthropic/claude',
      tokens: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 2 },
    },
  },
];

export const receipts: Receipt[] = [
  {
    type: 'receipt.tool',
    cf_sky_version: CF_SKY_VERSION,
    thread_id: thread,
    run_id: run,
    step_id: step,
    tool_name: 'edit',
    args_hash: sha256(JSON.stringify({ path: 'a.md' })),
    output_hash: sha256(JSON.stringify('ok')),
    duration_ms: 12,
    status: 'completed',
    verified: true,
    tool_call_id: 'c1',
    executor: 'workers',
    change: {
      path: 'a.md',
      input_hash: sha256('before'),
      patch_hash: sha256('patch'),
      output_hash: sha256('after'),
    },
  },
  {
    type: 'receipt.run',
    cf_sky_version: CF_SKY_VERSION,
    thread_id: thread,
    run_id: run,
    input_hash: sha256('in'),
    output_hash: sha256('out'),
    model_config_id: 'anthropic/claude',
    started_at: at,
    completed_at: at,
    duration_ms: 1200,
    status: 'completed',
    ended_by: 9,
    verified: false,
    events: 8,
  },
];

export function sample(changes: Partial<SkyExportSource> = {}): SkyExportSource {
  return {
    thread_id: thread,
    name: 'LiteClaw',
    exported_at: at,
    messages,
    events: logOf(skyEvents),
    receipts,
    memory: {
      thread_id: thread,
      schema_version: 1,
      summary: 'The user keeps notes in a.md.',
      through: 'm1',
      updated_at: at,
    },
    ...changes,
  };
}

export async function linesOf(source: SkyExportSource, key: Key): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of writeSkyExport(source, key.sign)) lines.push(line);
  return lines;
}
