import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { Language } from '../../text/languages.ts';
import { GRAMMARS } from './grammars.ts';

const THEME = 'css-variables';
/** A longer line stays plain. Time is bound by whoever asks. */
const LINE = { tokenizeMaxLineLength: 1000, tokenizeTimeLimit: 0 } as const;

/** A part of a line; `ink` is the last word of a theme variable, as in `keyword`. */
export type CodeToken = { text: string; ink: string };
export type GrammarState = ReturnType<HighlighterCore['getLastGrammarState']>;

const core = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: THEME, fontStyle: false })],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/** Reads one line, from the state that the line before left. */
export type LineReader = (
  line: string,
  before: GrammarState | undefined,
) => { tokens: CodeToken[]; after: GrammarState | undefined };

export async function lineReader(name: Language): Promise<LineReader> {
  const highlighter = await core;
  await highlighter.loadLanguage(GRAMMARS[name]);
  return (line, before) => {
    const state = before === undefined ? {} : { grammarState: before };
    const { tokens, grammarState } = highlighter.codeToTokens(line, {
      lang: name,
      theme: THEME,
      ...LINE,
      ...state,
    });
    const parts = (tokens[0] ?? []).map(({ content, color }) => ({
      text: content,
      ink: /^var\(--shiki-(?:token-)?([a-z-]+)/.exec(color ?? '')?.[1] ?? 'foreground',
    }));
    return { tokens: parts, after: grammarState };
  };
}
