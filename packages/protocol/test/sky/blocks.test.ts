import { describe, expect, it } from 'vitest';
import { type Block, BlockReducer, toBlocks } from '../../src/index.ts';
import type { SkyEvent } from '../../src/sky/index.ts';
import { logOf, skyEvents } from './sample.ts';

const at = (index: number): SkyEvent => {
  const event = skyEvents[index];
  if (event === undefined) throw new Error(`no event ${index}`);
  return event;
};
const failed = {
  ...at(7),
  type: 'run.error',
  error_code: 'model_timeout',
  message: 'The model did not answer.',
  output_hash: undefined,
} as unknown as SkyEvent;

function shown(events: readonly SkyEvent[]): readonly Block[] {
  const clean = JSON.parse(JSON.stringify(events)) as SkyEvent[];
  return toBlocks(logOf(clean)).slice(1);
}

describe('what a thread shows of Sky', () => {
  it('[SKY13] is the call as one block and the answer as one', () => {
    expect(shown(skyEvents)).toMatchObject([
      {
        id: 'e3',
        kind: 'tool',
        name: 'edit',
        status: 'done',
        input: { path: 'a.md' },
        output: 'ok',
        durationMs: 0,
      },
      { id: 'e7', kind: 'text', content: 'Done — 完了', partial: false, truncated: false },
    ]);
  });

  it('[SKY13] grows while the answer is written, and is the same however it comes', () => {
    const more = { ...at(5), event_id: 7, delta: ' …' } as SkyEvent;
    expect(shown([at(0), at(5), more])).toMatchObject([
      { kind: 'text', content: 'Done — 完了 …', partial: true },
    ]);
    const events = logOf(skyEvents);
    const reducer = new BlockReducer();
    for (const event of events) reducer.push([event]);
    expect(reducer.blocks).toEqual(toBlocks(events));
  });

  it('[SKY13] leaves thoughts out, and has an answer that came at once', () => {
    const thought = { ...at(5), of: 'reasoning' } as SkyEvent;
    expect(shown([at(0), thought, at(6)])).toMatchObject([{ content: 'Done — 完了' }]);
    expect(shown([at(0), { ...at(6), output: '' } as SkyEvent])).toEqual([]);
  });

  it('[SKY13] says how a run failed, and keeps what it had written', () => {
    expect(shown([at(0), at(1), at(5), failed])).toMatchObject([
      { kind: 'tool', status: 'error' },
      { kind: 'text', content: 'Done — 完了', partial: false, truncated: true },
      {
        kind: 'notice',
        level: 'error',
        text: 'The model did not answer.',
        detail: 'model_timeout',
      },
    ]);
  });

  it('[SKY13] shows a refusal as the result of its call', () => {
    const refused = { ...at(4), status: 'error', output: { why: 'policy' } } as SkyEvent;
    expect(shown([at(0), at(1), refused])).toMatchObject([
      { kind: 'tool', status: 'error', output: '{\n  "why": "policy"\n}' },
    ]);
    expect(shown([at(0), refused])).toEqual([]);
  });
});
