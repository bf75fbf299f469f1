// Programs that come from the system: found, installed where that is allowed, or asked for. Runs on Node 20.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

import { withProgress } from './run.mjs';

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** bubblewrap's path; null where it is missing and could not be installed, or is not for this system. */
export async function ensureBubblewrap() {
  if (process.platform !== 'linux') return null;
  return findProgram('bwrap') ?? (await install('bubblewrap', () => findProgram('bwrap')));
}

/** podman's path, with runc beside it: crun fails where both versions of control groups are mounted. */
export async function ensurePodman() {
  if (process.platform !== 'linux') return null;
  if (!findProgram('runc')) await install('runc', () => findProgram('runc'));
  return findProgram('podman') ?? (await install('podman', () => findProgram('podman')));
}

/** Chromium's path: CHROME_PATH, the system's, or installed. */
export async function ensureChromium() {
  const given = process.env.CHROME_PATH;
  if (given) return isExecutable(given) ? given : null;
  return findChromium() ?? (await install('chromium', findChromium));
}

/** The command that installs a package on this system, for a person to run. */
export function installCommand(name) {
  if (process.platform === 'darwin')
    return `brew install ${name === 'chromium' ? '--cask google-chrome' : name}`;
  if (findProgram('apt-get')) return `sudo apt-get install -y ${name}`;
  if (findProgram('dnf')) return `sudo dnf install -y ${name}`;
  if (findProgram('pacman')) return `sudo pacman -S --noconfirm ${name}`;
  if (findProgram('zypper')) return `sudo zypper install -y ${name}`;
  if (findProgram('apk')) return `sudo apk add ${name}`;
  return `install the package "${name}" with your system's package manager`;
}

export function findProgram(name) {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(directory, name);
    if (directory !== '' && isExecutable(path)) return path;
  }
  return null;
}

function findChromium() {
  for (const name of CHROMIUM) {
    const path = findProgram(name);
    if (path !== null) return path;
  }
  return isExecutable(MAC_CHROME) ? MAC_CHROME : null;
}

async function install(name, find) {
  if (process.getuid?.() !== 0 || !findProgram('apt-get')) return null;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // A machine without network is told soon, since every start tries.
  const quick = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=15'];
  const args = [...quick, 'install', '-y', '--no-install-recommends', name];
  let { code, output } = await withProgress(`Installing ${name}`, 'apt-get', args, { env });
  if (code !== 0) {
    // The package lists of a fresh machine are empty or old.
    await withProgress('Updating the package lists', 'apt-get', [...quick, 'update'], { env });
    ({ code, output } = await withProgress(`Installing ${name}`, 'apt-get', args, { env }));
  }
  if (code !== 0) console.error(output.trim().split('\n').slice(-5).join('\n'));
  return find();
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
