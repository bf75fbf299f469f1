import { writeFile } from 'node:fs/promises';
import { defineTool, failed, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';
import { pathIn } from '../place.ts';
import { unifiedDiff } from '@filepath/protocol';
import { readText } from './read-file.ts';

export function editFileTool({ place }: Kit): LoopTool {
  return defineTool({
    name: 'edit_file',
    description:
      'Change a file by exact match: `old` must occur once, whitespace included, and is replaced by `new`. With `all` every occurrence is replaced. Read the file first.',
    input: z.object({
      path: z.string().min(1).describe('relative to the workspace'),
      old: z.string().min(1).describe('the exact text, without line numbers'),
      new: z.string(),
      all: z.boolean().optional(),
    }),
    readOnly: false,
    async run({ path, old, new: fresh, all = false }) {
      const full = pathIn(place, path);
      const before = await readText(full, path);
      const parts = before.split(old);
      const times = parts.length - 1;
      if (times === 0) {
        return failed(
          `\`old\` does not occur in ${path}. Read the file and copy the text exactly.`,
        );
      }
      if (times > 1 && !all) {
        return failed(
          `\`old\` occurs ${times} times in ${path}. Give more of the text around it, or set \`all\`.`,
        );
      }
      const after = parts.join(fresh);
      const diff = unifiedDiff(path, before, after);
      if (diff === '') return failed(`\`old\` and \`new\` are the same; ${path} is unchanged.`);
      await writeFile(full, after);
      return { ok: true, text: diff, detail: { path, diff } };
    },
  });
}
