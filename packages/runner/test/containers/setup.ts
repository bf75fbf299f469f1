import type { StartOrder } from '@filepath/protocol';
import { Engine } from '../../src/container/engine.ts';
import type { ThreadRecord } from '../fake-worker.ts';
import { type Bench, shellOrder } from '../setup.ts';
import { BASE_IMAGE } from '@filepath/testkit';

export { BASE_IMAGE };

let known: Promise<Engine> | null = null;

/** The engine that runs for these tests. */
export function testEngine(): Promise<Engine> {
  known ??= Engine.connect(process.env['FILEPATH_CONTAINER_SOCKET'] ?? '').then(
    ({ engine }) => engine,
  );
  return known;
}

/** Containers of an agent, whatever their state. */
export async function containersOf(order: StartOrder): Promise<string[]> {
  const found = await (await testEngine()).list(`filepath.agent=${order.slug}`);
  return found.map(({ Id }) => Id);
}

export const containerOrder = (script: string, more: Partial<StartOrder> = {}): StartOrder =>
  shellOrder('', { config: { image: BASE_IMAGE, command: ['sh', '-c', script] }, ...more });

/** Resolves when the agent has ended or was refused. */
export async function ended(bench: Bench, order: StartOrder): Promise<ThreadRecord> {
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  const over = (): boolean => thread.exit !== undefined || thread.refused !== undefined;
  await bench.worker.until('end', over);
  return thread;
}
