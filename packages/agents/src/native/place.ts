import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Where an agent works. */
export type Place = { readonly workspace: string; readonly home: string };

/** A path as a tool was given it, inside the workspace or the home, also through symbolic links. Throws outside. */
export function pathIn(place: Place, path: string): string {
  const asked = path.startsWith('~/') ? join(place.home, path.slice(2)) : path;
  const full = resolve(place.workspace, asked);
  const real = realOf(full);
  if (![place.workspace, place.home].some((root) => isBelow(realOf(root), real))) {
    throw new Error(`${path} is outside the workspace and the home. Use a path inside them.`);
  }
  return full;
}

/** As it is shown: relative to the workspace where it is inside it. */
export function shownPath(place: Place, full: string): string {
  const inside = relative(place.workspace, full);
  return inside.startsWith('..') || isAbsolute(inside) ? full : inside === '' ? '.' : inside;
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Of a path that may not exist yet: that of its nearest parent that does. A link to nothing counts as what it leads to,
 * since writing to it would make that.
 */
function realOf(path: string, links = 40): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const inside = join(realOf(parent, links), path.slice(parent.length));
    const target = linkOf(inside);
    if (target === null) return inside;
    if (links === 0) throw new Error(`${path} is a link without an end.`);
    return realOf(resolve(dirname(inside), target), links - 1);
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
