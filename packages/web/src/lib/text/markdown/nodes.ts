/** A text as it is shown: what the components of `chat/markdown` know, and nothing else. */
export type MdSpan =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em' | 'del'; spans: readonly MdSpan[] }
  /** `host`: where it leads, unless its text says so. */
  | { kind: 'link'; href: string; host: string | null; spans: readonly MdSpan[] }
  | { kind: 'image'; href: string; host: string; alt: string }
  | { kind: 'math'; tex: string; display: boolean }
  | { kind: 'break' };

export type MdItem = {
  /** Of a task: whether it is done. */
  checked: boolean | null;
  nodes: readonly MdNode[];
};

export type MdAlign = 'left' | 'center' | 'right' | null;
export type MdCell = readonly MdSpan[];

export type MdNode =
  | { kind: 'paragraph'; spans: readonly MdSpan[] }
  | { kind: 'heading'; depth: number; spans: readonly MdSpan[] }
  | { kind: 'quote'; nodes: readonly MdNode[] }
  | { kind: 'list'; start: number | null; loose: boolean; items: readonly MdItem[] }
  | { kind: 'code'; language: string; text: string }
  | {
      kind: 'table';
      align: readonly MdAlign[];
      head: readonly MdCell[];
      rows: readonly (readonly MdCell[])[];
    }
  | { kind: 'rule' }
  | { kind: 'math'; tex: string }
  /** What is too long to be read as Markdown. */
  | { kind: 'plain'; text: string };
