import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';
import { type AgentEvent, AgentInput } from '@filepath/protocol';

/** The inputs on stdin. A line that is none is told and left out. */
export async function* readInputs(
  stdin: NodeJS.ReadableStream,
  emit: (event: AgentEvent) => void,
): AsyncGenerator<AgentInput, void> {
  for await (const line of createInterface({ input: stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const input = parse(line);
    if (input) yield input;
    else emit({ type: 'log', level: 'warn', message: 'a line on stdin was no input' });
  }
}

function parse(line: string): AgentInput | null {
  try {
    return AgentInput.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** One line of stdout for each event, written before the next statement runs: nothing is lost by an exit. */
export function emitTo(fd: number): (event: AgentEvent) => void {
  return (event) => writeAll(fd, Buffer.from(`${JSON.stringify(event)}\n`));
}

const WAIT = new Int32Array(new SharedArrayBuffer(4));

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // A full pipe: whoever reads it is slower, and this process has nothing better to do.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(WAIT, 0, 0, 5);
    }
  }
}
