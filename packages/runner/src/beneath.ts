import { closeSync, constants, fstatSync, openSync } from 'node:fs';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/**
 * Opens what an agent may have made, below a directory of ours. No link is followed on the way, whatever the agent
 * does meanwhile, and no pipe is waited for. Null where there is nothing of the kind.
 */
function openBeneath(root: string, names: readonly string[], last: number): number | null {
  let at: number | null = null;
  try {
    at = openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    for (const [index, name] of names.entries()) {
      const kind = index === names.length - 1 ? last : O_DIRECTORY;
      const next = openSync(
        `/proc/self/fd/${at}/${name}`,
        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | kind,
      );
      closeSync(at);
      at = next;
    }
    return at;
  } catch {
    if (at !== null) closeSync(at);
    return null;
  }
}

/** Calls `use` with the directory's descriptor. Names are constants or checked: none is `..` or has a slash. */
export function withDirectory<T>(
  root: string,
  names: readonly string[],
  use: (fd: number) => T,
): T | null {
  return withDescriptor(openBeneath(root, names, O_DIRECTORY), use);
}

/** As for a directory; only for a regular file. */
export function withFile<T>(
  root: string,
  names: readonly string[],
  use: (fd: number) => T,
): T | null {
  return withDescriptor(openBeneath(root, names, 0), (fd) =>
    fstatSync(fd).isFile() ? use(fd) : null,
  );
}

function withDescriptor<T>(fd: number | null, use: (fd: number) => T): T | null {
  if (fd === null) return null;
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
