import { fstatSync, statSync } from 'node:fs';

/** Files that stand for a network namespace and for the user namespace that owns it; null: that of the runner. */
export type NetworkPlace = { net: string; user: string | null };

/** What tells namespaces apart. `at`: a path or an open descriptor. Null where there is none. */
export function namespaceId(at: string | number): string | null {
  try {
    const { dev, ino } = typeof at === 'number' ? fstatSync(at) : statSync(at);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** Throws where the namespace is the runner's own, which has every interface of the machine. */
export function foreignNamespace(at: string | number): string {
  const id = namespaceId(at);
  if (id === null) throw new Error('the network namespace is gone');
  if (id === namespaceId('/proc/self/ns/net')) {
    throw new Error('the network namespace is the one of the runner');
  }
  return id;
}

/** The command that puts what follows into the namespace. */
export function entering({ net, user }: NetworkPlace): string[] {
  const owner = user === null ? [] : [`--user=${user}`, '--preserve-credentials'];
  return ['nsenter', ...owner, `--net=${net}`, '--'];
}
