import type { z } from 'zod';
import { LogEvent } from '../thread/log-event.ts';
import { AttentionChange } from '../api/attention.ts';
import { TreeChange } from '../api/resources.ts';
import { feedFrame } from './frames.ts';

export { ViewerFrame } from './frames.ts';
export const AttentionFrame = feedFrame(AttentionChange);
export type AttentionFrame = z.infer<typeof AttentionFrame>;
export const ThreadFrame = feedFrame(LogEvent);
export type ThreadFrame = z.infer<typeof ThreadFrame>;
export const TreeFrame = feedFrame(TreeChange);
export type TreeFrame = z.infer<typeof TreeFrame>;
