import type { Language } from '../../text/languages.ts';
import { type CodeToken, type GrammarState, lineReader } from './core.ts';

/** How many pieces of code are remembered, so that one that grows is not read again from its beginning. */
const REMEMBERED = 20;

type Read = { line: string; tokens: CodeToken[]; after: GrammarState | undefined };
const known = new Map<string, Read[]>();

/** The colours of code, line by line. A line is read again if it or one before it is another than last time. */
export async function readCode(
  key: string,
  language: Language,
  code: string,
): Promise<CodeToken[][]> {
  const reader = await lineReader(language);
  const before = known.get(key) ?? [];
  const lines = code.split('\n');
  const changed = lines.findIndex((line, index) => before[index]?.line !== line);
  const out = before.slice(0, changed === -1 ? lines.length : changed);
  for (const line of lines.slice(out.length)) {
    const { tokens, after } = reader(line, out.at(-1)?.after);
    out.push({ line, tokens, after });
  }
  known.delete(key);
  known.set(key, out);
  for (const old of [...known.keys()].slice(0, -REMEMBERED)) known.delete(old);
  return out.map(({ tokens }) => tokens);
}
