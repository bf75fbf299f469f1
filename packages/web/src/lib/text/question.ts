export type QuestionParts = {
  /** What is asked, in a line. */
  title: string;
  /** What exactly it is about: a command, files, a call. */
  subject: string | null;
  reason: string | null;
};

/** A question as agents ask it: a line, what it is about, and in brackets why. Nothing of it is left out. */
export function questionParts(prompt: string): QuestionParts {
  const text = prompt.trim();
  const [first = '', ...rest] = text.split('\n');
  if (rest.length > 0) {
    const last = rest.at(-1) ?? '';
    const why = /^\((.+)\)$/.exec(last);
    const about = (why === null ? rest : rest.slice(0, -1)).join('\n').trim();
    return { title: first, subject: about === '' ? null : about, reason: why?.[1] ?? null };
  }
  const named = /^(.{1,200}? wants to [^:]{1,300}): (.+)$/.exec(first);
  if (named !== null) {
    return { title: named[1] ?? '', subject: named[2] ?? null, reason: null };
  }
  const call = /^([\w-]{1,64}) (\{.*\})$/.exec(first);
  if (call !== null) return { title: `Use ${call[1]}?`, subject: call[2] ?? null, reason: null };
  return { title: first, subject: null, reason: null };
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ['allow', 'Allow once'],
  ['allow the same again', 'Allow the same again'],
  ['deny', 'Deny'],
]);

/** How an answer to a question for leave is written on its button. */
export const optionLabel = (option: string, permission: boolean): string =>
  (permission ? LABELS.get(option) : undefined) ?? option;

/** An answer by which nothing is done. */
export const declines = (option: string): boolean =>
  /^(deny|no|reject|cancel|decline|abort|skip)\b/i.test(option.trim());
