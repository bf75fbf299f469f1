/** Strings, quoted names and comments: whatever stands in them is no SQL. */
const QUOTED =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** In words why a text is not one statement that a chat may run, or null. */
export function statementFault(sql: string): string | null {
  const bare = sql.replace(QUOTED, ' ').trim();
  if (/["'`]/.test(bare)) return 'a quote is not closed';
  if (/;(?!\s*$)/.test(bare)) return 'it is more than one statement';
  const [word = ''] = /^[a-z]+/i.exec(bare) ?? [];
  const allowed = [
    'select',
    'with',
    'values',
    'insert',
    'update',
    'delete',
    'replace',
    'create',
    'drop',
    'alter',
  ];
  if (!allowed.includes(word.toLowerCase())) return `it begins with none of ${allowed.join(', ')}`;
  if (/\btrigger\b/i.test(bare)) return 'triggers are not allowed';
  if (/\b(?:virtual|recursive)\b/i.test(bare))
    return 'virtual tables and recursion are not allowed';
  return null;
}

/** Whether it begins as what changes nothing does. What follows a `with` may still change something. */
export const isRead = (sql: string): boolean =>
  /^(?:select|with|values)\b/i.test(sql.replace(QUOTED, ' ').trim());
