import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type LentRepository = { readonly path: string; giveBack(): void };

/**
 * A repository that an agent's user can read. The owner of the runner may keep one that is nobody else's to read:
 * then its git directory is copied and given to the agent for as long as it clones. No git runs here.
 */
export async function lendRepository(
  path: string,
  uid: number | null,
  dir: string,
): Promise<LentRepository> {
  const own: LentRepository = { path, giveBack: () => undefined };
  if (uid === null) return own;
  const inside = join(path, '.git');
  const gitDir = existsSync(inside) ? inside : path;
  // Nothing but a git directory is ever copied: of anything else git itself says what is wrong.
  if (!existsSync(join(gitDir, 'HEAD')) || !(await isClosed(path, gitDir))) return own;
  const copy = join(dir, 'repository');
  const giveBack = (): void => rmSync(copy, { recursive: true, force: true });
  giveBack();
  await run('cp', ['--archive', '--reflink=auto', '--', gitDir, copy]);
  await run('chown', ['--recursive', '--no-dereference', `${uid}:${uid}`, '--', copy]);
  return { path: copy, giveBack };
}

/** Whether anything that git would read is closed to other users. */
async function isClosed(path: string, gitDir: string): Promise<boolean> {
  const closed = '( -type d ! -perm -005 ) -o ( -type f ! -perm -004 )'.split(' ');
  const find = (args: string[]) => run('find', [...args, '(', ...closed, ')', '-print', '-quit']);
  const found = [await find([path, '-maxdepth', '0']), await find([gitDir])];
  return found.some(({ stdout }) => stdout !== '');
}
