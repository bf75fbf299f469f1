import { lstatSync, readlinkSync } from 'node:fs';
import { filterFor } from '../seccomp/filter.ts';
import { Refusal } from './executor.ts';

/** Descriptors that bubblewrap reads: the launcher opens them on these numbers. */
export const FD = { seccomp: 4, passwd: 7, hosts: 8, args: 9 } as const;

export const PASSWD = (uid: number): string => `agent:x:${uid}:${uid}:agent:/home/agent:/bin/sh\n`;
export const HOSTS = '127.0.0.1 localhost\n::1 localhost\n';

/** The filter of system calls that goes with the options. */
export function seccompFilter(): Buffer {
  const filter = filterFor(process.arch);
  if (filter === null) {
    throw new Refusal(`agents need an x86_64 or aarch64 processor, this one is ${process.arch}`);
  }
  return filter;
}

export type Mounts = {
  /** Bound at /workspace and, if given, /home/agent. */
  workspace: string;
  home: string | null;
  /** Both can be read only. */
  readOnly?: boolean;
  /** Further options, put before the workspace. */
  extra: readonly string[];
  /** The network of whoever starts bubblewrap is the sandbox's own already. */
  entered?: boolean;
};

const SYSTEM_FILES = ['ssl', 'alternatives', 'ld.so.cache', 'nsswitch.conf'];

/**
 * Options of one sandbox. The workspace is the last mount and nothing is mounted below it: a link planted in
 * it must never be followed while mounts are made.
 */
export function bwrapArgs(mounts: Mounts, environment: ReadonlyMap<string, string>): string[] {
  const bind = mounts.readOnly === true ? '--ro-bind' : '--bind';
  return [
    ...words('--unshare-user --unshare-pid --unshare-ipc --unshare-uts'),
    ...(mounts.entered === true ? [] : ['--unshare-net']),
    ...words('--unshare-cgroup-try'),
    ...words('--disable-userns --die-with-parent --new-session --clearenv --cap-drop ALL'),
    ...words(`--seccomp ${FD.seccomp} --hostname agent --ro-bind /usr /usr`),
    ...topLevel(),
    ...words('--dir /etc'),
    ...SYSTEM_FILES.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...words(`--ro-bind-data ${FD.passwd} /etc/passwd --ro-bind-data ${FD.hosts} /etc/hosts`),
    ...words('--proc /proc --dev /dev'),
    ...words(`--size ${256 << 20} --tmpfs /tmp --size ${16 << 20} --tmpfs /run`),
    ...(mounts.home === null ? [] : [bind, mounts.home, '/home/agent']),
    ...mounts.extra,
    bind,
    mounts.workspace,
    '/workspace',
    ...words('--chdir /workspace --remount-ro /'),
    ...[...environment].flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** Options that are constants. */
const words = (text: string): string[] => text.split(' ');

/** NUL ends an option, so none may carry one. */
export function encodeArgs(args: readonly string[]): string {
  if (args.some((arg) => arg.includes('\0'))) {
    throw new Refusal('a NUL character stands in the environment of the agent: remove it');
  }
  return args.map((arg) => `${arg}\0`).join('');
}

function topLevel(): string[] {
  return ['bin', 'sbin', 'lib', 'lib64', 'lib32'].flatMap((name) => {
    const stat = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    if (stat.isSymbolicLink()) return ['--symlink', readlinkSync(`/${name}`), `/${name}`];
    return ['--ro-bind', `/${name}`, `/${name}`];
  });
}
