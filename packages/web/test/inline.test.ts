import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pieces } from '../src/lib/text/inline.ts';

const flat = (content: string): string =>
  pieces(content)
    .map((piece) => (piece.kind === 'fence' ? `[${piece.text}]` : piece.words.map(word).join('')))
    .join('|');
const word = ({ code, text }: { code: boolean; text: string }): string =>
  code ? `<${text}>` : text;

describe('agent text', () => {
  it('has inline code between backticks', () => {
    expect(flat('run `npm test` now')).toBe('run <npm test> now');
  });

  it('leaves a lone backtick and one that spans lines as they are', () => {
    expect(flat('a ` b')).toBe('a ` b');
    expect(flat('a `b\nc` d')).toBe('a `b\nc` d');
  });

  it('has fenced blocks apart from the prose, without the blank lines between', () => {
    expect(flat('before\n\n```ts\nconst a = `x`;\n```\n\nafter')).toBe(
      'before|[const a = `x`;]|after',
    );
  });

  it('takes an unclosed fence as prose', () => {
    expect(flat('```ts\nconst a = 1;')).toBe('```ts\nconst a = 1;');
  });

  it('keeps every character that is not a mark, for any text', () => {
    const bare = (text: string): string => text.replace(/[`\n]|^```.*$/gm, '');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = pieces(text).flatMap((piece) =>
          piece.kind === 'fence' ? [piece.text] : piece.words.map((one) => one.text),
        );
        fc.pre(!text.includes('```'));
        expect(bare(shown.join(''))).toBe(bare(text));
      }),
    );
  });
});
