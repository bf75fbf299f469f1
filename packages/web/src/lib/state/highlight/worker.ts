import type { Language } from '../../text/languages.ts';
import type { CodeToken } from './core.ts';
import { readCode } from './reader.ts';

export type Ask = { key: string; language: Language; code: string };
/** Null: it could not be read, and stays in one colour. */
export type Reply = CodeToken[][] | null;

self.addEventListener('message', (event: MessageEvent<Ask>) => {
  const { key, language, code } = event.data;
  void readCode(key, language, code).then(
    (lines) => self.postMessage(lines satisfies Reply),
    () => self.postMessage(null satisfies Reply),
  );
});
