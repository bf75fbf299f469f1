import { posix } from 'node:path';
import { Refusal } from '../executor/executor.ts';
import type { InspectedImage } from './answers.ts';
import type { Cage } from './hardening.ts';

const MOST = 16;
/** The kernel's own, and what runs things there. */
const SYSTEM = ['/proc', '/sys', '/dev'];

export const declaredVolumes = (image: InspectedImage | null): string[] =>
  Object.keys(image?.Config?.Volumes ?? {});

/**
 * Where an image declares volumes: an engine would give each of them disk of the host, outside of every quota. They get
 * memory instead. Throws a Refusal for those that would stand in the way.
 */
export function volumesIn({ image, volumes, binds }: Cage): string[] {
  const refuse = (what: string): Refusal =>
    new Refusal(`the image ${image} declares ${what}: use one without`);
  const taken = binds.map(({ to }) => posix.normalize(to));
  const paths = new Set(volumes.map((path) => posix.normalize(path).replace(/(.)\/$/, '$1')));
  if (paths.size > MOST) throw refuse(`more than ${MOST} volumes`);
  for (const path of paths) {
    const shown = path.slice(0, 200);
    const below = [...SYSTEM, ...taken].some((one) => path.startsWith(`${one}/`));
    if (!/^\/[^:,\\\p{Cc}]+$/u.test(path) || SYSTEM.includes(path) || below) {
      throw refuse(`the volume ${shown}, which cannot be one here`);
    }
  }
  return [...paths].filter((path) => !taken.includes(path));
}
