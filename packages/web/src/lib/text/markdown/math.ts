import type { Tokens, TokenizerExtensionFunction, TokenizerStartFunction } from 'marked';

/** Longer sources are no formulas. */
const MOST = 2000;

/** `$x$` is a formula if it is tight, on one line, and nothing like a price or a variable of a shell. */
const DOLLAR = /^\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<![\s\\])\$(?![\w$])/;
const DOUBLE = /^\$\$(?!\$)((?:\\[^]|[^\\$])+?)\$\$/;
const ROUND = /^\\\(((?:(?!\\\))[^\n])+?)\\\)/;
const BLOCK = /^ {0,3}(?:\$\$((?:\\[^]|[^\\$])+?)\$\$|\\\[((?:(?!\\\])[^])+?)\\\]) *(?:\n+|$)/;

const token = (type: string, raw: string, tex: string, display: boolean): Tokens.Generic => ({
  type,
  raw,
  tex: tex.trim(),
  display,
});

const inline: TokenizerExtensionFunction = (src) => {
  if (!src.startsWith('$') && !src.startsWith('\\(')) return undefined;
  const window = src.slice(0, MOST);
  const double = DOUBLE.exec(window);
  if (double !== null) return token('math', double[0], double[1] ?? '', true);
  const single = DOLLAR.exec(window) ?? ROUND.exec(window);
  return single === null ? undefined : token('math', single[0], single[1] ?? '', false);
};

const block: TokenizerExtensionFunction = (src) => {
  if (!/^ {0,3}(?:\$\$|\\\[)/.test(src)) return undefined;
  const match = BLOCK.exec(src.slice(0, MOST));
  return match === null ? undefined : token('math', match[0], match[1] ?? match[2] ?? '', true);
};

/** A dollar after a letter or a digit begins no formula. */
const startInline: TokenizerStartFunction = (src) => {
  const at = src.search(/(?<![\w$\\])\$|\\\(/);
  return at === -1 ? undefined : at;
};
const startBlock: TokenizerStartFunction = (src) => {
  const at = src.search(/\n {0,3}(?:\$\$|\\\[)/);
  return at === -1 ? undefined : at + 1;
};

export const mathExtension = {
  inline: [inline],
  startInline: [startInline],
  block: [block],
  startBlock: [startBlock],
  childTokens: {},
  renderers: {},
};
