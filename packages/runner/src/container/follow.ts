import { closeSync, openSync, readSync, watch } from 'node:fs';
import type { Writable } from 'node:stream';

const CHUNK = 64 * 1024;
/** Where a change of the file is not told. */
const LOOK_MS = 500;

/** Copies a file that only grows, as it grows, into a stream. The stream's pace is kept to. */
export function follow(path: string, into: Writable): { close(): void } {
  const fd = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK);
  let at = 0;
  let waiting = false;
  let closed = false;
  const look = (): void => {
    while (!closed && !waiting) {
      const read = readSync(fd, chunk, 0, CHUNK, at);
      if (read === 0) return;
      at += read;
      waiting = !into.write(Buffer.from(chunk.subarray(0, read)));
    }
  };
  const drained = (): void => {
    waiting = false;
    look();
  };
  into.on('drain', drained);
  const watcher = watch(path, look);
  watcher.on('error', () => watcher.close());
  const timer = setInterval(look, LOOK_MS);
  look();
  return {
    close: () => {
      if (closed) return;
      closed = true;
      watcher.close();
      clearInterval(timer);
      into.off('drain', drained);
      closeSync(fd);
    },
  };
}
