import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const ROOT = new URL('../corpus/', import.meta.url);

/** `line` is the value, or the raw text where it is a string. */
const Broken = z
  .array(
    z.strictObject({
      why: z.string().min(1),
      line: z.unknown(),
      path: z.string().min(1),
      reason: z.string().min(1),
    }),
  )
  .min(1);

export type Example = {
  name: string;
  /** The file name without its last part, which names the variant. */
  type: string;
  value: unknown;
  broken: z.infer<typeof Broken>;
};

/** Every good example of a folder with its broken twins; fails where one is without the other. */
export function examples(folder: string): Example[] {
  const dir = new URL(`${folder}/`, ROOT);
  const files = new Set(readdirSync(dir));
  const good = [...files].filter((file) => !file.endsWith('.broken.json'));
  const found = good.map((file) => {
    const name = file.replace(/\.json$/, '');
    if (!files.delete(`${name}.broken.json`))
      throw new Error(`${folder}/${name} has no broken twin`);
    return {
      name,
      type: name.split('.').slice(0, -1).join('.'),
      value: read(new URL(file, dir)),
      broken: Broken.parse(read(new URL(`${name}.broken.json`, dir))),
    };
  });
  const alone = [...files].filter((file) => file.endsWith('.broken.json'));
  if (alone.length > 0) throw new Error(`${folder}: no good example for ${alone.join(', ')}`);
  return found;
}

export function lineOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function read(url: URL): unknown {
  return JSON.parse(readFileSync(url, 'utf8'));
}
