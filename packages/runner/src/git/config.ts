import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Remote } from './remote.ts';

/** Names of the variables in which git's credential helper finds what it answers. */
export const USER_VARIABLE = 'FILEPATH_GIT_USER';
export const PASSWORD_VARIABLE = 'FILEPATH_GIT_PASSWORD';

const HELPER = `!f() { [ "$1" != get ] || printf 'username=%s\\npassword=%s\\n' "$${USER_VARIABLE}" "$${PASSWORD_VARIABLE}"; }; f`;

const FIXED = `[core]
hooksPath = /dev/null
fsmonitor = false
attributesFile = /dev/null
[gc]
auto = 0
[maintenance]
auto = false
[fetch]
unpackLimit = 1
recurseSubmodules = false
[http]
lowSpeedLimit = 100
lowSpeedTime = 60
[protocol]
allow = never
[protocol "ext"]
allow = never`;

/**
 * All the configuration that git on the host has, beside that of the mirror itself. It is a file, since git takes
 * options of the command line and of the environment away from the process that reads a repository on this machine.
 */
export function hostConfig(remote: Remote): string {
  const lines = [FIXED, `[protocol ${quote(schemeOf(remote))}]`, 'allow = always'];
  if (remote.kind === 'url' && remote.scheme === 'http') {
    lines.push('[protocol "https"]', 'allow = always');
  }
  if (remote.kind === 'url' && remote.credentials !== null) {
    lines.push(`[credential ${quote(remote.origin)}]`, `helper = ${quote(HELPER)}`);
  }
  if (remote.kind === 'path') {
    lines.push('[safe]', ...placesOf(remote.shown).map((place) => `directory = ${quote(place)}`));
  }
  return `${lines.join('\n')}\n`;
}

const schemeOf = (remote: Remote): string => {
  if (remote.kind === 'path') return 'file';
  return remote.kind === 'ssh' ? 'ssh' : remote.scheme;
};

/** The directories that git may take for this repository whoever owns them: it, its .git, and where a .git file leads. */
function placesOf(path: string): string[] {
  const places = new Set([path, join(path, '.git')]);
  try {
    const real = realpathSync(path);
    places.add(real).add(join(real, '.git'));
    const link = join(real, '.git');
    if (statSync(link, { throwIfNoEntry: false })?.isFile() === true) {
      const target = /^gitdir: (.+)$/m.exec(readFileSync(link, 'utf8'))?.[1];
      if (target !== undefined) places.add(resolve(dirname(link), target));
    }
  } catch {
    // git says what is wrong with it.
  }
  return [...places].filter((place) => !place.includes('\n'));
}

const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
