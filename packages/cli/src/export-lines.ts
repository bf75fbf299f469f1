import { createReadStream } from 'node:fs';
import { type Line, readLines } from '@filepath/protocol';
import { SKY_LINE } from '@filepath/protocol/sky';
import type { Io } from './io.ts';

/**
 * The lines of an export; `-` is stdin. A file is opened when its first line is asked for: a stream that fails while
 * nobody reads it ends the whole process.
 */
export async function* exportLines(file: string, io: Pick<Io, 'stdin'>): AsyncGenerator<Line> {
  yield* readLines(file === '-' ? io.stdin : createReadStream(file), SKY_LINE);
}
