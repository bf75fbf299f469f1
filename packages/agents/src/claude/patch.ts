import { z } from 'zod';

const Hunk = z.looseObject({
  oldStart: z.number(),
  oldLines: z.number(),
  newStart: z.number(),
  newLines: z.number(),
  lines: z.array(z.string()),
});

const FileResult = z.looseObject({
  type: z.string().optional(),
  filePath: z.string(),
  content: z.string().optional(),
  structuredPatch: z.array(Hunk).optional(),
});

/** The unified diff of what an edit or a write answered; undefined if it changed nothing, or is no such answer. */
export function diffOf(result: unknown, shown: (path: string) => string): string | undefined {
  const parsed = FileResult.safeParse(result);
  if (!parsed.success) return undefined;
  const { type, content, structuredPatch = [] } = parsed.data;
  const path = shown(parsed.data.filePath);
  if (type === 'create' && content !== undefined) {
    const lines = linesOf(content);
    return `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
  }
  if (structuredPatch.length === 0) return undefined;
  const hunks = structuredPatch.map(
    (hunk) =>
      `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@\n${hunk.lines.map((line) => `${line}\n`).join('')}`,
  );
  return `--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;
}

function linesOf(content: string): string[] {
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
