import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';
import { pathIn } from '../place.ts';
import { unifiedDiff } from '@filepath/protocol';
import { readText } from './read-file.ts';

export function writeFileTool({ place }: Kit): LoopTool {
  return defineTool({
    name: 'write_file',
    description:
      'Write a whole file: a new one, or one whose content is replaced. To change a part of a file use edit_file.',
    input: z.object({
      path: z.string().min(1).describe('relative to the workspace'),
      content: z.string(),
    }),
    readOnly: false,
    async run({ path, content }) {
      const full = pathIn(place, path);
      const before = await readText(full, path).catch(() => null);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, content);
      const bytes = Buffer.byteLength(content);
      return {
        ok: true,
        text: `${before === null ? 'Created' : 'Replaced'} ${path} (${bytes} bytes).`,
        detail: { path, diff: unifiedDiff(path, before ?? '', content) },
      };
    },
  });
}
