import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The program's path, or null where the search path has none. */
export function findTool(name: string, env: NodeJS.ProcessEnv): string | null {
  for (const dir of (env['PATH'] ?? SYSTEM_PATH).split(delimiter)) {
    if (!isAbsolute(dir)) continue;
    const path = join(dir, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return null;
}

const INSTALLERS: readonly (readonly [string, string])[] = [
  ['/usr/bin/apt-get', 'apt-get install -y'],
  ['/usr/bin/dnf', 'dnf install -y'],
  ['/usr/bin/pacman', 'pacman -S --noconfirm'],
  ['/sbin/apk', 'apk add'],
  ['/usr/bin/zypper', 'zypper install -y'],
];

/** The command that installs a package on this system. */
export function installCommand(packageName: string): string {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  const installer = INSTALLERS.find(([path]) => existsSync(path))?.[1] ?? 'apt-get install -y';
  return `${sudo}${installer} ${packageName}`;
}

/** The setting that keeps this user from making namespaces, as the command that changes it. */
export function namespaceFix(): string | null {
  const settings: readonly (readonly [string, string, string])[] = [
    ['kernel/apparmor_restrict_unprivileged_userns', '1', '0'],
    ['kernel/unprivileged_userns_clone', '0', '1'],
    ['user/max_user_namespaces', '0', '15000'],
  ];
  for (const [name, bad, good] of settings) {
    try {
      if (readFileSync(`/proc/sys/${name}`, 'utf8').trim() !== bad) continue;
    } catch {
      continue;
    }
    return `sudo sysctl -w ${name.replaceAll('/', '.')}=${good}`;
  }
  return null;
}
