import { cpSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FilepathError } from '@filepath/protocol';

const TEMPLATE = fileURLToPath(new URL('../../templates/agent', import.meta.url));

/** Makes the folder of a new agent from the template. */
export function newAgent(folder: string): string {
  const path = resolve(folder);
  if (existsSync(path)) throw new FilepathError('conflict', `${path} is there already.`);
  cpSync(TEMPLATE, path, { recursive: true });
  return path;
}
