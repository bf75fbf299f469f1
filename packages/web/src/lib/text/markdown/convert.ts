import type { MarkedToken, Token } from 'marked';
import { decoded } from './entities.ts';
import { isPath, targetOf } from './links.ts';
import type { MdItem, MdNode, MdSpan } from './nodes.ts';

/** Tokens of marked as what is shown. A kind that is not known here is shown as it was written. */
export function nodesOf(tokens: readonly Token[]): MdNode[] {
  return tokens.flatMap((token) => nodeOf(token));
}

export function nodeOf(token: Token): MdNode[] {
  if (isMath(token)) return [{ kind: 'math', tex: token.tex }];
  const known = token as MarkedToken;
  switch (known.type) {
    case 'space':
    case 'checkbox':
      return [];
    case 'paragraph':
      return [{ kind: 'paragraph', spans: spansOf(known.tokens) }];
    case 'heading':
      return [{ kind: 'heading', depth: known.depth, spans: spansOf(known.tokens) }];
    case 'blockquote':
      return [{ kind: 'quote', nodes: nodesOf(known.tokens) }];
    case 'list': {
      const start = known.ordered ? Number(known.start) : null;
      return [{ kind: 'list', start, loose: known.loose, items: known.items.map(itemOf) }];
    }
    case 'code':
      return [{ kind: 'code', language: languageOf(known.lang), text: known.text }];
    case 'table': {
      const cells = (row: typeof known.header): MdSpan[][] =>
        row.map(({ tokens }) => spansOf(tokens));
      const rows = known.rows.map(cells);
      return [{ kind: 'table', align: known.align, head: cells(known.header), rows }];
    }
    case 'hr':
      return [{ kind: 'rule' }];
    case 'text':
      return [{ kind: 'paragraph', spans: spansOf(known.tokens ?? [known]) }];
    default:
      return [{ kind: 'paragraph', spans: [{ kind: 'text', text: token.raw }] }];
  }
}

function itemOf(item: { task: boolean; checked?: boolean; tokens: Token[] }): MdItem {
  return { checked: item.task ? item.checked === true : null, nodes: nodesOf(item.tokens) };
}

const languageOf = (info: string | undefined): string =>
  (/^[\w+#.-]{1,32}/.exec(info ?? '')?.[0] ?? '').toLowerCase();

export function spansOf(tokens: readonly Token[]): MdSpan[] {
  const out: MdSpan[] = [];
  for (const span of tokens.flatMap((token) => spanOf(token))) {
    const last = out.at(-1);
    if (span.kind === 'text' && last?.kind === 'text') {
      out[out.length - 1] = { kind: 'text', text: last.text + span.text };
    } else out.push(span);
  }
  return out;
}

function spanOf(token: Token): MdSpan[] {
  if (isMath(token)) return [{ kind: 'math', tex: token.tex, display: token.display }];
  const known = token as MarkedToken;
  switch (known.type) {
    case 'checkbox':
      return [];
    case 'text':
      return known.tokens === undefined
        ? [{ kind: 'text', text: decoded(known.text) }]
        : spansOf(known.tokens);
    case 'escape':
      return [{ kind: 'text', text: known.text }];
    case 'codespan':
      return [{ kind: 'code', text: known.text }];
    case 'strong':
    case 'em':
    case 'del':
      return [{ kind: known.type, spans: spansOf(known.tokens) }];
    case 'br':
      return [{ kind: 'break' }];
    case 'link':
      return linkOf(known.href, spansOf(known.tokens), known.raw);
    case 'image': {
      const target = targetOf(known.href);
      if (target === null) return [{ kind: 'text', text: known.raw }];
      return [{ kind: 'image', ...target, alt: decoded(known.text) }];
    }
    default:
      return [{ kind: 'text', text: token.raw }];
  }
}

/** What may not be followed is shown as it was written; a path with what it is called. */
function linkOf(href: string, spans: readonly MdSpan[], raw: string): MdSpan[] {
  const target = targetOf(href);
  if (target !== null) {
    const host = says(spans, href) ? null : target.host;
    return [{ kind: 'link', href: target.href, host, spans }];
  }
  if (!isPath(href)) return [{ kind: 'text', text: raw }];
  return says(spans, href) ? [...spans] : [...spans, { kind: 'text', text: ` (${href})` }];
}

function says(spans: readonly MdSpan[], href: string): boolean {
  const [only, ...others] = spans;
  if (others.length > 0 || (only?.kind !== 'text' && only?.kind !== 'code')) return false;
  const bare = (text: string): string =>
    text.replace(/^(?:https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  return bare(only.text) === bare(href);
}

type Math = Token & { tex: string; display: boolean };
const isMath = (token: Token): token is Math =>
  token.type === 'math' && 'tex' in token && typeof token['tex'] === 'string';
