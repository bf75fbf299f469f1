/** At most `limit` characters of a text: its beginning and its end, with a note of what is missing between. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = whole(text.slice(0, Math.ceil(limit * 0.6)));
  const tail = whole(text.slice(text.length - Math.floor(limit * 0.4)));
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

/** Without half of a surrogate pair at either end: such a string is no valid UTF-8. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '');
}
