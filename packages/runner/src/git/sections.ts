import type { Readable } from 'node:stream';
import { Refusal } from '../executor/executor.ts';

/** Shell: `section NAME FILE MOST` puts the start of a file on stdout, after a line with its name and length. */
export const SECTION = `
section() {
  head -c "$3" "$2" > /tmp/section || return
  printf '%s %s\\n' "$1" "$(wc -c < /tmp/section)"
  cat /tmp/section
}
`;

/** Collects a stream; throws a Refusal where it is longer than `most` bytes. */
export function collect(most: number): {
  onStdout: (stdout: Readable) => Promise<void>;
  bytes: () => Buffer;
} {
  const chunks: Buffer[] = [];
  return {
    onStdout: async (stdout) => {
      let size = 0;
      for await (const chunk of stdout as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > most) throw new Refusal(`the workspace gave more than ${most} bytes`);
        chunks.push(chunk);
      }
    },
    bytes: () => Buffer.concat(chunks),
  };
}

export type Section = { name: string; bytes: Buffer };

/** What a script put out by `section`, in its order. All of it may be an agent's text. Throws a Refusal. */
export function sectionsOf(bytes: Buffer): Section[] {
  const sections: Section[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const head = end === -1 ? '' : bytes.toString('latin1', at, Math.min(end, at + 100));
    const [, name, size] = /^([a-z-]+) +(\d{1,9})$/.exec(head) ?? [];
    if (name === undefined || end + 1 + Number(size) > bytes.length) {
      throw new Refusal('the workspace gave something else than was asked for');
    }
    sections.push({ name, bytes: bytes.subarray(end + 1, end + 1 + Number(size)) });
    at = end + 1 + Number(size);
  }
  return sections;
}

/** The section of this name; empty where there is none. */
export function sectionNamed(sections: readonly Section[], name: string): Buffer {
  return sections.find((section) => section.name === name)?.bytes ?? Buffer.alloc(0);
}

/** Records that each end with NUL; one that was cut off is left out. */
export function recordsOf(bytes: Buffer): string[] {
  const records: string[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf(0, at);
    if (end === -1) return records;
    records.push(bytes.toString('utf8', at, end));
    at = end + 1;
  }
}
