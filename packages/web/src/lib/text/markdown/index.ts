import { MarkdownStream } from './stream.ts';
import type { MdNode } from './nodes.ts';

export { MarkdownStream };
export type { MdNode, MdSpan } from './nodes.ts';

/** The nodes of a text that does not change. */
export const markdown = (content: string): readonly MdNode[] =>
  new MarkdownStream().read(content, false);
