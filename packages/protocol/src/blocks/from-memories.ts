import { SystemMemories } from '../memory/given.ts';
import type { Base, MemoriesBlock } from './block.ts';

/** What an agent was given of memory; null for any other body. */
export function memoriesBlock(base: Base, body: unknown): MemoriesBlock | null {
  const parsed = SystemMemories.safeParse(body);
  if (!parsed.success) return null;
  return { ...base, kind: 'memories', memories: parsed.data.memories };
}
