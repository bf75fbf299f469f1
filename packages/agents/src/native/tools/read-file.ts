import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { defineTool, failed, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';
import { pathIn } from '../place.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_LINE = 2_000;
const NONBLOCK = constants.O_RDONLY | constants.O_NONBLOCK;

export function readFileTool({ place }: Kit): LoopTool {
  return defineTool({
    name: 'read_file',
    description:
      'Read a text file. Lines are numbered. Long files are read in parts with offset and limit.',
    input: z.object({
      path: z.string().min(1).describe('relative to the workspace'),
      offset: z.int().min(1).optional().describe('first line, from 1'),
      limit: z.int().min(1).max(2_000).optional().describe('lines; 1000 unless given'),
    }),
    readOnly: true,
    async run({ path, offset = 1, limit = 1_000 }) {
      const text = await readText(pathIn(place, path), path);
      const lines = text.split('\n');
      if (lines.at(-1) === '') lines.pop();
      if (lines.length === 0) return { ok: true, text: '(the file is empty)', detail: { path } };
      if (offset > lines.length) {
        return failed(`${path} has ${lines.length} lines; line ${offset} is beyond its end.`);
      }
      const shown = lines.slice(offset - 1, offset - 1 + limit);
      const left = lines.length - (offset - 1 + shown.length);
      const numbered = shown.map((line, at) => `${offset + at}\t${shorten(line)}`).join('\n');
      const note = left > 0 ? `\n[${left} more lines; go on at offset ${offset + limit}]` : '';
      return { ok: true, text: numbered + note, detail: { path } };
    },
  });
}

function shorten(line: string): string {
  return line.length <= MAX_LINE
    ? line
    : `${line.slice(0, MAX_LINE)}[… ${line.length - MAX_LINE} characters]`;
}

/** The text of a regular file. Throws for what is none, in words that name the file as it was asked for. */
export async function readText(full: string, path: string): Promise<string> {
  // Without O_NONBLOCK an open of a pipe would wait for its writer.
  const file = await open(full, NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `There is no file ${path}.` : error.message);
  });
  try {
    const { size, isFile } = await file.stat().then((stat) => ({
      size: stat.size,
      isFile: stat.isFile(),
    }));
    if (!isFile) throw new Error(`${path} is no regular file. list_files shows directories.`);
    if (size > MAX_BYTES) {
      throw new Error(
        `${path} has ${size} bytes, more than ${MAX_BYTES}. Look at parts of it with search.`,
      );
    }
    const bytes = await file.readFile();
    if (bytes.subarray(0, 8192).includes(0)) throw new Error(`${path} is a binary file.`);
    return bytes.toString('utf8');
  } finally {
    await file.close();
  }
}
