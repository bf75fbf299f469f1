import { AgentToRunner, ChainReader, type SpoolLine, type ThreadId } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeHashing } from '../../src/thread/node-hashing.ts';
import { logOf, message, newAgent } from './support/api.ts';
import { exited, spool, TestLink, text } from './support/runner.ts';

const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;

/** What happens to one frame on its way, or to the connection after it. */
type Fault = { from: number; size: number; fate: 'arrives' | 'twice' | 'early' | 'cut' };

const fault: fc.Arbitrary<Fault> = fc.record({
  from: fc.nat(8),
  size: fc.integer({ min: 1, max: 12 }),
  fate: fc.constantFrom('arrives', 'twice', 'early', 'cut'),
});

/** A frame with lines from this index on. */
function frame(lines: readonly SpoolLine[], index: number, size: number) {
  return { t: 'lines', from: lines[index - 1]?.[0] ?? 0, lines: lines.slice(index, index + size) };
}

/** A connection that is closed, or replaced: the runner dials again and is told where to go on. */
async function reopen(thread: ThreadId, lines: readonly SpoolLine[]) {
  const link = await TestLink.open(thread, 1, 1);
  return { link, index: lines.findIndex(([end]) => end > link.offset) };
}

/** Sends all lines through the faults, and the rest without any. */
async function deliver(thread: ThreadId, lines: readonly SpoolLine[], faults: readonly Fault[]) {
  let { link, index } = await reopen(thread, lines);
  for (const { from, size, fate } of faults) {
    if (index < 0) break;
    // A frame may begin before what is stored already: it repeats some lines.
    const start = Math.max(0, index - from);
    const good = frame(lines, start, size + index - start);
    if (fate === 'early') {
      const early = frame(lines, Math.min(index + size, lines.length - 1), 2);
      link.socket.send(early);
    }
    if (fate !== 'early') link.socket.send(good);
    if (fate === 'twice') link.socket.send(good);
    // Cut: the acknowledgement of what was sent never arrives.
    if (fate === 'arrives' || fate === 'twice') {
      const ack = AgentToRunner.parse(await link.socket.next());
      expect(ack.t).toBe('ack');
      index = ack.t === 'ack' ? lines.findIndex(([end]) => end > ack.offset) : index;
    } else {
      ({ link, index } = await reopen(thread, lines));
    }
  }
  ({ link, index } = await reopen(thread, lines));
  if (index >= 0) {
    link.socket.send(frame(lines, index, lines.length));
    await link.socket.until('ack');
  }
  return link;
}

describe('[LINK8] frames that are cut, repeated or reordered', () => {
  it(`[F4] [F5] change neither order nor number of events (seed ${seed})`, async () => {
    const bodies = Array.from({ length: 60 }, (_, i) => text(`line ${i}`));
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 12 }), async (faults) => {
        const { node } = await newAgent();
        await message(node.id);
        const link = await deliver(node.id, spool(0, ...bodies), faults);
        link.observe(exited());
        await link.socket.until('over');
        const events = await logOf(node.id);
        const chain = new ChainReader(nodeHashing.sha256);
        expect(events.map((event) => chain.next(event)).filter(Boolean)).toEqual([]);
        expect(events.slice(1, -1).map((event) => event.body)).toEqual(bodies);
      }),
      { seed, numRuns: 12 },
    );
  });

  it('[F4] adds no row when a frame is sent again because its acknowledgement was lost', async () => {
    const { node } = await newAgent();
    await message(node.id);
    const link = await TestLink.open(node.id, 1, 1);
    await link.started();
    const lines = spool(0, text('a'), text('b'));
    link.socket.send({ t: 'lines', from: 0, lines });
    link.socket.close();
    const again = await TestLink.open(node.id, 1, 1);
    again.socket.send({ t: 'lines', from: 0, lines });
    again.socket.send({
      t: 'observed',
      id: 1,
      body: { type: 'started', epoch: 1, executor: 'sandbox' },
    });
    expect(await again.socket.next()).toMatchObject({ t: 'ack', offset: lines[1]?.[0] });
    expect(await logOf(node.id)).toHaveLength(4);
  });
});
