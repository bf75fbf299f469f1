import type { Limits, MachineCheck } from '@filepath/protocol';

export type Check = MachineCheck;

export type Ran = { code: number; stdout: string; stderr: string };

/** What the checks look at, so that they can be tested on machines that are not there. */
export type Machine = {
  platform: NodeJS.Platform;
  nodeVersion: string;
  isRoot: boolean;
  /** null: there is no such program. */
  run(file: string, args: string[]): Promise<Ran | null>;
  /** Whether the runner can run an agent in a sandbox, proven by one. */
  sandbox(): Promise<{ available: boolean; reason?: string }>;
  /** What holds the limits of agents; a text says which setting is not understood. */
  limits(): Promise<Limits | string>;
  /** The container engine that answers, or why none does. */
  containers(): Promise<{ version: string } | { reason: string }>;
  /** The kinds of agents whose program is not here, and files of the catalog that are left out. */
  agents(env: NodeJS.ProcessEnv): Promise<{ missing: string[]; faults: readonly string[] }>;
  /** null: there is no such file. */
  read(path: string): string | null;
  /** Bytes free where the folder is or would be; null if nothing can be written there. */
  freeBytes(dir: string): Promise<number | null>;
  /** The code of the error that listening gives, or null. */
  listen(host: string, port: number): Promise<string | null>;
};

export const ok = (name: string, text: string): Check => ({ name, state: 'ok', text });
export const warn = (name: string, text: string, fix?: string): Check => ({
  name,
  state: 'warn',
  text,
  ...(fix === undefined ? {} : { fix }),
});
export const fail = (name: string, text: string, fix: string): Check => ({
  name,
  state: 'fail',
  text,
  fix,
});

export const stillWorks = (check: Check, works: string): Check =>
  check.state === 'ok' ? check : { ...check, works };

/** Whether a dotted version is at least another one. */
export function atLeast(version: string, least: string): boolean {
  const parts = (text: string): number[] =>
    text.split('.').map((part) => Number.parseInt(part, 10));
  const [have, want] = [parts(version), parts(least)];
  for (const [index, wanted] of want.entries()) {
    const had = have[index] ?? 0;
    if (had !== wanted) return had > wanted;
  }
  return true;
}

export function versionIn(text: string): string | null {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? null;
}

/** The command that installs a package here. */
export function installCommand(machine: Machine, name: string): string {
  if (machine.platform === 'darwin') return `brew install ${name}`;
  const release = machine.read('/etc/os-release') ?? '';
  const ids = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(
    (match) => match[1]?.split(' ') ?? [],
  );
  const sudo = machine.isRoot ? '' : 'sudo ';
  if (ids.includes('alpine')) return `${sudo}apk add ${name}`;
  if (ids.includes('arch')) return `${sudo}pacman -S --noconfirm ${name}`;
  if (ids.some((id) => id === 'fedora' || id === 'rhel')) return `${sudo}dnf install -y ${name}`;
  if (ids.some((id) => id.includes('suse'))) return `${sudo}zypper install -y ${name}`;
  return `${sudo}apt-get install -y ${name}`;
}
