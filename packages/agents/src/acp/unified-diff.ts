const AROUND = 3;

/** One hunk from the first line that differs to the last, with some lines around it. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const from = Math.max(0, head - AROUND);
  const after_ = Math.min(tail, AROUND);
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  const body = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + after_).map((line) => ` ${line}`),
  ];
  const around = head - from + after_;
  const range = (count: number): string => `${count === 0 ? 0 : from + 1},${count}`;
  return [
    before === '' ? '--- /dev/null' : `--- ${path}`,
    `+++ ${path}`,
    `@@ -${range(removed.length + around)} +${range(added.length + around)} @@`,
    ...body,
    '',
  ].join('\n');
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}
