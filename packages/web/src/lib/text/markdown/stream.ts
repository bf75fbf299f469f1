import { visible } from '../visible.ts';
import { nodeOf, nodesOf } from './convert.ts';
import { tokensOf } from './lexer.ts';
import type { MdNode } from './nodes.ts';
import { steady } from './steady.ts';

/** What is beyond is shown as plain text. */
const MOST = 128 * 1024;

/** A text as nodes. While it grows only its last block is read again, and the nodes before keep their identity. */
export class MarkdownStream {
  /** The part of the source whose blocks cannot change any more, and their nodes. */
  #done = '';
  #nodes: readonly MdNode[] = [];
  /** How far the source was looked at for blocks that are finished. */
  #seen = 0;

  read(content: string, partial: boolean): readonly MdNode[] {
    const { source, rest } = split(visible(content.replaceAll('\r\n', '\n')));
    if (!source.startsWith(this.#done)) {
      this.#done = '';
      this.#nodes = [];
      this.#seen = 0;
    }
    const plain: MdNode[] = rest === '' ? [] : [{ kind: 'plain', text: rest }];
    if (!partial) return [...this.#whole(source), ...plain];
    const growing = rest === '';
    if (growing) this.#settle(source);
    const open = source.slice(this.#done.length);
    return [...this.#nodes, ...nodesOf(tokensOf(growing ? steady(open) : open)), ...plain];
  }

  /** What comes late can make something else of lines before it, as the end of a formula does. What is the same stays itself. */
  #whole(source: string): readonly MdNode[] {
    const nodes = nodesOf(tokensOf(source));
    const before = this.#nodes;
    return nodes.map((node, at) =>
      JSON.stringify(before[at]) === JSON.stringify(node) ? (before[at] ?? node) : node,
    );
  }

  /** Of the lines that are whole, all blocks but the last are finished. */
  #settle(source: string): void {
    const end = source.lastIndexOf('\n') + 1;
    if (end === this.#seen) return;
    this.#seen = end;
    const lines = source.slice(this.#done.length, end);
    const tokens = tokensOf(lines);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    const finished: MdNode[] = [];
    let length = 0;
    for (const token of tokens.slice(0, Math.max(0, last))) {
      // The source of a token is not always what stands in the text.
      if (!lines.startsWith(token.raw, length)) break;
      length += token.raw.length;
      finished.push(...nodeOf(token));
    }
    this.#done += lines.slice(0, length);
    if (finished.length > 0) this.#nodes = [...this.#nodes, ...finished];
  }
}

function split(text: string): { source: string; rest: string } {
  if (text.length <= MOST) return { source: text, rest: '' };
  const line = text.lastIndexOf('\n', MOST);
  const at = line > MOST / 2 ? line + 1 : MOST;
  return { source: text.slice(0, at), rest: text.slice(at) };
}
