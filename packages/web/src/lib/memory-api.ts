import { createMemories } from '@filepath/client';

/** Apart from the rest, which every page loads. */
export const { memory: memories } = createMemories();
