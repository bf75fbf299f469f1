import { Readable } from 'node:stream';
import type { Io } from '../src/io.ts';

export type Recorded = Io & { readonly said: string[]; readonly errors: string[] };

/** An Io that keeps what a command says. */
export function recordedIo(
  stdin: string | Uint8Array | Iterable<Uint8Array> = '',
  env: NodeJS.ProcessEnv = {},
): Recorded {
  const said: string[] = [];
  const errors: string[] = [];
  const bytes = typeof stdin === 'string' ? Buffer.from(stdin) : stdin;
  return {
    stdin: Readable.from(bytes instanceof Uint8Array ? [bytes] : bytes),
    out: (line) => said.push(line),
    err: (line) => errors.push(line),
    env,
    signal: new AbortController().signal,
    said,
    errors,
  };
}
