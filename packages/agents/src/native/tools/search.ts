import { defineTool, failed, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';
import { pathIn, shownPath } from '../place.ts';
import { runProcess } from '../run-process.ts';

const MAX_LINE = 300;

export function searchTool({ place, env }: Kit): LoopTool {
  return defineTool({
    name: 'search',
    description:
      'Search the contents of files with an extended regular expression. Gives path:line:text. Ignored and binary files are left out.',
    input: z.object({
      pattern: z.string().min(1).max(1_000),
      path: z.string().min(1).optional().describe('a file or folder; the workspace unless given'),
      glob: z.string().min(1).optional().describe('names of files, such as *.ts'),
      ignoreCase: z.boolean().optional(),
      limit: z.int().min(1).max(500).optional().describe('lines; 100 unless given'),
    }),
    readOnly: true,
    async run({ pattern, path = '.', glob, ignoreCase = false, limit = 100 }, { signal }) {
      const where = shownPath(place, pathIn(place, path));
      const flags = ['-nIE', ...(ignoreCase ? ['-i'] : [])];
      const options = { cwd: place.workspace, env, timeoutMs: 30_000, signal, keep: 1024 * 1024 };
      const spec =
        glob === undefined ? where : `:(glob)${where === '.' ? '' : `${where}/`}**/${glob}`;
      const git = ['git', 'grep', ...flags, '--untracked', '-e', pattern, '--', spec] as const;
      let end = await runProcess(git, options);
      if (end.exit !== 0 && end.exit !== 1) {
        const include = glob === undefined ? [] : [`--include=${glob}`];
        const skip = ['--exclude-dir=.git', '--exclude-dir=node_modules'];
        end = await runProcess(
          ['grep', '-r', ...flags, ...include, ...skip, '-e', pattern, '--', where],
          options,
        );
      }
      if (end.timedOut) return failed('The search took longer than 30 seconds. Narrow it down.');
      if (end.exit === 1) return { ok: true, text: 'Nothing was found.' };
      if (end.exit !== 0) return failed(end.stderr.trim() || `the search ended with ${end.exit}`);
      const lines = end.stdout.split('\n').filter((line) => line !== '');
      const shown = lines.slice(0, limit).map((line) => line.slice(0, MAX_LINE));
      const left = lines.length - shown.length;
      const note = left > 0 ? [`[${left} more lines; narrow the search, or raise limit]`] : [];
      return { ok: true, text: [...shown, ...note].join('\n') };
    },
  });
}
