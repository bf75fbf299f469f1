import { FilepathError, Issue } from '@filepath/protocol';

/** What is wrong, by the field it is shown beside; under the empty name what belongs to no field. */
export type Problems = Readonly<Record<string, string>>;

/** Sorts what is wrong by the longest of the paths that it is below; `fields` says which field has which path. */
export function problemsOf(
  issues: readonly Issue[],
  fields: Readonly<Record<string, string>>,
): Problems {
  const found: Record<string, string> = {};
  const paths = Object.keys(fields).sort((a, b) => b.length - a.length);
  for (const { path, reason } of issues) {
    const at = paths.find((one) => path === one || path.startsWith(`${one}.`));
    const field = at === undefined ? '' : (fields[at] ?? '');
    found[field] ??= field === '' && path !== '(root)' ? `${path}: ${reason}` : reason;
  }
  return found;
}

/** What the worker found wrong with a request; null where it says nothing of a field. */
export function issuesOfError(error: unknown): Issue[] | null {
  if (!(error instanceof FilepathError)) return null;
  const issues = Issue.array().safeParse(error.details);
  return issues.success && issues.data.length > 0 ? issues.data : null;
}
