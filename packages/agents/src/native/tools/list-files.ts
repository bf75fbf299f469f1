import { readdir } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';
import { pathIn, shownPath } from '../place.ts';

const MAX_ENTRIES = 500;
/** Folders that are walked, at most: a glob over a huge tree ends too. */
const MAX_FOLDERS = 5_000;
const LEFT_OUT = new Set(['.git', 'node_modules']);

export function listFilesTool({ place }: Kit): LoopTool {
  return defineTool({
    name: 'list_files',
    description:
      'List files and folders. Without a glob: two levels. With one, such as **/*.ts, every file below that matches. .git and node_modules are left out.',
    input: z.object({
      path: z.string().min(1).optional().describe('a folder; the workspace unless given'),
      glob: z.string().min(1).optional(),
      depth: z.int().min(1).max(10).optional(),
    }),
    readOnly: true,
    async run({ path = '.', glob, depth = glob === undefined ? 2 : 64 }, { signal }) {
      const root = pathIn(place, path);
      const found: string[] = [];
      let folders = 0;
      const queue: { readonly at: string; readonly level: number }[] = [{ at: '', level: 1 }];
      for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
        if ((folders += 1) > MAX_FOLDERS || found.length > MAX_ENTRIES) break;
        const entries = await readdir(join(root, next.at), { withFileTypes: true });
        for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
          const name = join(next.at, entry.name);
          const folder = entry.isDirectory();
          if (folder && LEFT_OUT.has(entry.name)) continue;
          if (folder && next.level < depth) queue.push({ at: name, level: next.level + 1 });
          if (glob === undefined) found.push(folder ? `${name}/` : name);
          else if (!folder && matchesGlob(name, glob)) found.push(name);
        }
      }
      const shown = found.slice(0, MAX_ENTRIES);
      const cut = found.length > shown.length || folders > MAX_FOLDERS;
      const note = cut ? ['[there is more; list a folder below, or use a glob]'] : [];
      const text = shown.length === 0 ? 'Nothing is there.' : [...shown, ...note].join('\n');
      return { ok: true, text, detail: { path: shownPath(place, root) } };
    },
  });
}
