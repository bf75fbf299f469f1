import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';

const Memory = z.object({ at: z.string(), content: z.string() });

function fileOf({ place }: Kit): string {
  return join(place.home, '.filepath', 'memory.jsonl');
}

export function rememberTool(kit: Kit): LoopTool {
  return defineTool({
    name: 'remember',
    description: 'Keep a fact for later, beyond this conversation. One fact a call.',
    input: z.object({ content: z.string().min(1).max(4_000) }),
    readOnly: false,
    async run({ content }) {
      const file = fileOf(kit);
      await mkdir(dirname(file), { recursive: true });
      await appendFile(file, `${JSON.stringify({ at: new Date().toISOString(), content })}\n`);
      kit.emit({ type: 'memory', content });
      return { ok: true, text: 'Remembered.' };
    },
  });
}

export function recallTool(kit: Kit): LoopTool {
  return defineTool({
    name: 'recall',
    description: 'What was remembered, the latest last. With words: only what has all of them.',
    input: z.object({ words: z.string().max(500).optional() }),
    readOnly: true,
    async run({ words = '' }) {
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (text: string) => wanted.every((word) => text.toLowerCase().includes(word));
      const found = (await memoriesOf(kit)).filter(({ content }) => fits(content)).slice(-50);
      if (found.length === 0) return { ok: true, text: 'Nothing was remembered of that.' };
      return {
        ok: true,
        text: found.map(({ at, content }) => `${at.slice(0, 10)} ${content}`).join('\n'),
      };
    },
  });
}

/** A line that was torn by a kill is no memory. */
async function memoriesOf(kit: Kit): Promise<z.infer<typeof Memory>[]> {
  const text = await readFile(fileOf(kit), 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      return [Memory.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}
