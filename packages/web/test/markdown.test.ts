import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  markdown,
  MarkdownStream,
  type MdNode,
  type MdSpan,
} from '../src/lib/text/markdown/index.ts';
import { steady } from '../src/lib/text/markdown/steady.ts';

const text = (content: string): MdSpan => ({ kind: 'text', text: content });
const paragraph = (...spans: MdSpan[]): MdNode => ({ kind: 'paragraph', spans });

describe('Markdown of an agent', () => {
  it('[UIB4] is headings, lists, tasks, quotes, rules, code and tables', () => {
    const nodes = markdown(
      '# One\n\n- a\n  1. b\n- [x] c\n\n> q\n\n---\n\n```ts x\nlet a = `1`;\n```\n\n| a | b |\n|--|:-:|\n| 1 | `2` |',
    );
    expect(nodes.map(({ kind }) => kind)).toEqual([
      'heading',
      'list',
      'quote',
      'rule',
      'code',
      'table',
    ]);
    expect(nodes[1]).toMatchObject({
      items: [
        { checked: null, nodes: [paragraph(text('a')), { kind: 'list', start: 1 }] },
        { checked: true, nodes: [paragraph(text('c'))] },
      ],
    });
    expect(nodes[4]).toEqual({ kind: 'code', language: 'ts', text: 'let a = `1`;' });
    expect(nodes[5]).toMatchObject({
      align: [null, 'center'],
      rows: [[[text('1')], [{ kind: 'code', text: '2' }]]],
    });
  });

  it('[UIB4] has inline code, emphasis, escapes and character references', () => {
    expect(markdown('`a<b` **b** *e* ~~d~~ \\*x\\* &lt;i&gt; AT&T')).toEqual([
      paragraph(
        { kind: 'code', text: 'a<b' },
        text(' '),
        { kind: 'strong', spans: [text('b')] },
        text(' '),
        { kind: 'em', spans: [text('e')] },
        text(' '),
        { kind: 'del', spans: [text('d')] },
        text(' *x* <i> AT&T'),
      ),
    ]);
  });

  it('[UIB5] keeps HTML as text', () => {
    const source =
      '<script>alert(1)</script>\n\n<div onclick="x">**b**</div>\n\na <b>c</b> <!-- d -->';
    expect(markdown(source)).toEqual([
      paragraph(text('<script>alert(1)</script>')),
      paragraph(text('<div onclick="x">'), { kind: 'strong', spans: [text('b')] }, text('</div>')),
      paragraph(text('a <b>c</b> <!-- d -->')),
    ]);
  });

  it('[UIB5] follows links to the web and to mail only, and says where they lead', () => {
    expect(markdown('[docs](https://user@example.org:8443/x)')).toEqual([
      paragraph({
        kind: 'link',
        href: 'https://user@example.org:8443/x',
        host: 'example.org:8443',
        spans: [text('docs')],
      }),
    ]);
    expect(markdown('https://example.org/a')).toEqual([
      paragraph({
        kind: 'link',
        href: 'https://example.org/a',
        host: null,
        spans: [text('https://example.org/a')],
      }),
    ]);
    // The text names one place, the link leads to another.
    expect(markdown('[https://bank.test](https://evil.test)')).toMatchObject([
      { spans: [{ kind: 'link', host: 'evil.test' }] },
    ]);
  });

  it.each([
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](data:text/html,x)',
    '[a](vbscript:x)',
    '[a](file:///etc/passwd)',
    '[a](//evil.test/x)',
    '![a](javascript:alert(1))',
    '![a](data:image/svg+xml,x)',
  ])('[UIB5] %s is text', (source) => {
    expect(markdown(source)).toEqual([paragraph(text(source))]);
  });

  it('[UIB5] shows a path of the repository beside its name', () => {
    expect(markdown('[verify](src/verify.ts) [a.ts](a.ts)')).toEqual([
      paragraph(text('verify (src/verify.ts) a.ts')),
    ]);
  });

  it('[UIB5] never loads an image: it is a link with what it shows', () => {
    expect(markdown('![a plot](https://example.org/p.png)')).toEqual([
      paragraph({
        kind: 'image',
        href: 'https://example.org/p.png',
        host: 'example.org',
        alt: 'a plot',
      }),
    ]);
  });

  it('[UIB6] knows formulas, and takes neither prices nor variables for one', () => {
    expect(markdown('so $x^2$ and \\(y\\)')).toEqual([
      paragraph(text('so '), { kind: 'math', tex: 'x^2', display: false }, text(' and '), {
        kind: 'math',
        tex: 'y',
        display: false,
      }),
    ]);
    expect(markdown('$$\n\\sum_i i\n$$')).toEqual([{ kind: 'math', tex: '\\sum_i i' }]);
    for (const source of [
      'from $5 to $10',
      'US$5-$10',
      '$HOME/$PATH and $a $b',
      'a $ b $ c',
      '$x',
    ]) {
      expect(markdown(source)).toEqual([paragraph(text(source))]);
    }
    expect(markdown('`$x$`')).toEqual([paragraph({ kind: 'code', text: '$x$' })]);
  });

  it('[UIB7] marks what would be unseen, also where a character reference hides it', () => {
    expect(markdown('a\u202Eb')).toEqual([paragraph(text('a⟨U+202E⟩b'))]);
    expect(markdown('a&#x202E;b')).toEqual([paragraph(text('a⟨U+202E⟩b'))]);
    expect(markdown('```\na\u2066b\n```')).toMatchObject([{ text: 'a⟨U+2066⟩b' }]);
  });
});

/** Milliseconds of this process's own: what else the machine does is not in them. */
function timed(work: () => unknown): number {
  const started = process.cpuUsage();
  work();
  return process.cpuUsage(started).user / 1000;
}

const PIECES = fc.constantFrom(
  ...'a|b c|\n|\n|\n\n|- |1. |> |# |`|```|```ts\n|**|*|_|[x](https://e.test)|![i](|$|$$|    |\t|---|==='.split(
    '|',
  ),
  ...'<b> &lt; \\ ~~ https://e.test \r\n \u202E'.split(' '),
  '|',
  '| a | b |\n',
  '|-|-|\n',
  '- [ ] ',
);
const DOCUMENT = fc.array(PIECES, { maxLength: 40 });

describe('a text that grows', () => {
  it('[UIB8] is read as the whole would be, wherever it was cut', () => {
    fc.assert(
      fc.property(DOCUMENT, (pieces) => {
        const stream = new MarkdownStream();
        let content = '';
        for (const piece of pieces) {
          content += piece;
          stream.read(content, true);
        }
        expect(stream.read(content, false)).toEqual(markdown(content));
      }),
      { numRuns: 500 },
    );
  });

  it.each(['$$\n\na\n$$', '| a | b |\na| a | b |\n|-|-|\n$$'])(
    '[UIB8] %j is what its end makes of it',
    (source) => {
      const stream = new MarkdownStream();
      for (let end = 1; end <= source.length; end += 1) stream.read(source.slice(0, end), true);
      expect(stream.read(source, false)).toEqual(markdown(source));
    },
  );

  it('[UIB8] keeps the nodes before its last block', () => {
    const stream = new MarkdownStream();
    const before = stream.read('# One\n\ntwo\n\nthree\n', true);
    const after = stream.read('# One\n\ntwo\n\nthree\nand more', true);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).toEqual(paragraph(text('three\nand more')));
    const ended = stream.read('# One\n\ntwo\n\nthree\nand more', false);
    expect(ended[0]).toBe(before[0]);
    expect(ended[1]).toBe(before[1]);
  });

  it('[UIB8] reads only its last block again: a long text costs what a short one does', () => {
    const LINES = 1000;
    const stream = new MarkdownStream();
    let content = '';
    const took = timed(() => {
      for (let line = 0; line < LINES; line += 1) {
        content += `Line ${line} with \`code\` and **bold** words.\n\n`;
        stream.read(content, true);
      }
    });
    const whole = Math.max(...[1, 2, 3].map(() => timed(() => markdown(content))));
    // Read from its beginning each time it would take half of this for each line.
    expect(took).toBeLessThan((LINES * whole) / 4);
  });

  it('[UIB8] starts anew where the text is another', () => {
    const stream = new MarkdownStream();
    stream.read('# One\n\ntwo', true);
    expect(stream.read('other', true)).toEqual([paragraph(text('other'))]);
  });

  it.each([
    ['a\n\n``', 'a\n\n'],
    ['a\n-', 'a\n'],
    ['a\n\n| h | i', 'a\n\n'],
    ['a\n\n| h | i |\n|-', 'a\n\n'],
    ['```ts\nlet a\n``', '```ts\nlet a\n'],
    ['see `co', 'see `co`'],
    ['see **bo', 'see **bo**'],
    ['see **bold*', 'see **bold**'],
    ['see **', 'see '],
    ['see [do', 'see do'],
    ['see [docs](https://e', 'see docs'],
    ['done `a` and **b**', 'done `a` and **b**'],
  ])('[UIB9] %j is shown as %j until it is known what it becomes', (source, shown) => {
    expect(steady(source)).toBe(shown);
  });

  it('[UIB9] never jumps from one kind of block to another while a table or a fence is written', () => {
    const source = 'Before.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nlet a = 1;\n```\n\nAfter.';
    const stream = new MarkdownStream();
    const kinds: string[][] = [];
    for (let end = 1; end <= source.length; end += 1) {
      kinds.push(stream.read(source.slice(0, end), true).map(({ kind }) => kind));
    }
    const final = ['paragraph', 'table', 'code', 'paragraph'];
    for (const seen of kinds) expect(final.slice(0, seen.length)).toEqual(seen);
  });
});

describe('a hostile text', () => {
  const many = 10_000;
  it.each([
    ['quotes', '>'.repeat(many)],
    ['spaced quotes', '> '.repeat(many) + 'a'],
    ['brackets', '['.repeat(many) + 'a' + ']'.repeat(many)],
    ['links', '[a]('.repeat(many)],
    ['images', '![a]('.repeat(many)],
    ['emphasis', 'a_'.repeat(many)],
    ['stars', '**a *a '.repeat(many)],
    ['lists', '- '.repeat(many)],
    ['quotes of lists', '> - '.repeat(many)],
    ['backticks', Array.from({ length: 400 }, (_, n) => `${'`'.repeat(n)}a`).join('')],
    ['columns', `${'|a'.repeat(many)}|\n${'|-'.repeat(many)}|\n`],
    ['rows', `|a|b|\n|-|-|\n${'|a|b|\n'.repeat(many)}`],
    ['dollars', '$'.repeat(many) + '$a '.repeat(many)],
    ['slashes', '\\('.repeat(many)],
    ['angles', '<'.repeat(many)],
    ['references', '&#x202e;'.repeat(many)],
    ['one line', 'a'.repeat(1_000_000)],
    ['lines', 'a\n'.repeat(100_000)],
    ['unseen', '\u202E'.repeat(100_000)],
  ])('[UIB10] of many %s is read in bounded time', (_, source) => {
    let nodes: readonly MdNode[] = [];
    expect(timed(() => (nodes = markdown(source)))).toBeLessThan(5000);
    expect(nodes.length).toBeGreaterThan(0);
    expect(depth(nodes)).toBeLessThan(64);
  });

  it('[UIB10] is never refused: any string has nodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (source) => {
        expect(Array.isArray(markdown(source))).toBe(true);
      }),
    );
  });
});

function depth(nodes: readonly MdNode[]): number {
  const below = nodes.map((node) => {
    if (node.kind === 'quote') return depth(node.nodes);
    if (node.kind === 'list') return Math.max(0, ...node.items.map((item) => depth(item.nodes)));
    return 0;
  });
  return 1 + below.reduce((most, each) => Math.max(most, each), 0);
}
