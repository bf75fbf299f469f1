import { join, relative } from 'node:path';

export const USER = 65534;
const ROOT = join(import.meta.dirname, '../../..');

/** This repository may be below a directory that only root may enter: the user sees it at /mnt. */
export function asUser(): { prefix: string[]; path: (file: string) => string } {
  if (process.getuid?.() !== 0) return { prefix: [], path: (file) => file };
  const script = `mount --bind "$1" /mnt || exit; shift
    exec setpriv --reuid ${USER} --regid ${USER} --clear-groups "$@"`;
  return {
    prefix: ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ROOT],
    path: (file) =>
      relative(ROOT, file).startsWith('..') ? file : join('/mnt', relative(ROOT, file)),
  };
}
