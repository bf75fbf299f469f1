import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Demux } from './demux.ts';
import type { Engine } from './engine.ts';

const OUTPUT_BYTES = 8192;
const LOOK_MS = 50;

export type ContainerOnce = {
  engine: Pick<Engine, 'create' | 'attach' | 'start' | 'inspect' | 'remove'>;
  body: object;
  timeoutMs: number;
  signal?: AbortSignal;
};

export type OnceResult = { status: number | null; output: string; timedOut: boolean };

/** Runs a command that the runner waits for, in a container of its own, and takes the container away. */
export async function runContainerOnce(job: ContainerOnce): Promise<OnceResult> {
  const { engine } = job;
  const name = `filepath-once-${randomBytes(8).toString('hex')}`;
  const late = AbortSignal.timeout(job.timeoutMs);
  const over = job.signal === undefined ? late : AbortSignal.any([job.signal, late]);
  let output = Buffer.alloc(0);
  const given = (): OnceResult => ({
    status: null,
    output: output.toString('utf8'),
    timedOut: late.aborted,
  });
  let attached: Duplex | null = null;
  try {
    await engine.create(name, job.body);
    const stream = await engine.attach(name);
    attached = stream;
    // It may break before anybody reads it.
    stream.on('error', () => undefined);
    const giveUp = (): void => void stream.destroy(new Error('the container was given up'));
    over.addEventListener('abort', giveUp, { once: true });
    if (over.aborted) giveUp();
    await engine.start(name);
    const demux = new Demux();
    for await (const chunk of stream) {
      const parts = demux.take(chunk as Buffer).map(({ bytes }) => bytes);
      output = Buffer.concat([output, ...parts]).subarray(-OUTPUT_BYTES);
    }
    over.removeEventListener('abort', giveUp);
    for (;;) {
      const state = await engine.inspect(name);
      if (state === null || over.aborted) return given();
      if (!state.Running) {
        return { status: state.ExitCode, output: output.toString('utf8'), timedOut: false };
      }
      await delay(LOOK_MS);
    }
  } catch (error) {
    if (over.aborted) return given();
    throw error;
  } finally {
    attached?.destroy();
    await engine.remove(name).catch(() => undefined);
  }
}
