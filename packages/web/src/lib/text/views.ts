/** Where a node is shown: its conversation, or what it changed. */
export function viewHref(node: string, view: 'changes' | null): string {
  const query = new URLSearchParams({ node });
  if (view !== null) query.set('view', view);
  return `?${query.toString()}`;
}

export const showsChanges = (query: { get(name: string): string | null }): boolean =>
  query.get('view') === 'changes';
