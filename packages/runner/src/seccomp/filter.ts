import { Assembler, encode, type Instruction } from './bpf.ts';
import { type Architecture, AUDIT_ARCH, DENIED, EXAMINED, numberOn } from './syscalls.ts';

/** Answers of a filter. */
export const ANSWER = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  notPermitted: 0x00050000 | 1,
  /** `ENOSYS`: a C library then uses the older call. */
  unknown: 0x00050000 | 38,
} as const;

/** Offsets in `struct seccomp_data`. Of an argument this is the low half: the kernel reads these as 32 bits. */
const DATA = { number: 0, arch: 4, first: 16, second: 24, third: 32 } as const;

/** Calls of the x32 ABI carry this bit and the architecture of x86_64. */
const X32 = 0x40000000;
/** `CLONE_NEW…` for cgroup, uts, ipc, user, pid, net and mounts. `clone` knows no other. */
const NEW_NAMESPACE = 0x7e020000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const SOCKETS = { unix: 1, inet: 2, inet6: 10 } as const;
/** Network interfaces are listed over it. Of its protocols only routes (0) are. */
const NETLINK = 16;

export function filterProgram(arch: Architecture): Instruction[] {
  const nr = (numbers: readonly [number, number]): number => numberOn(arch, numbers);
  const program = new Assembler()
    .load(DATA.arch)
    .jump('equal', AUDIT_ARCH[arch], 'ours')
    .answer(ANSWER.kill)
    .label('ours')
    .load(DATA.number)
    .jump('atLeast', X32, 'kill');
  for (const numbers of Object.values(DENIED)) program.jump('equal', nr(numbers), 'deny');
  return (
    program
      // Its flags are in memory, where a filter cannot look.
      .jump('equal', nr(EXAMINED.clone3), 'unknown')
      .jump('equal', nr(EXAMINED.clone), 'clone')
      .jump('equal', nr(EXAMINED.ioctl), 'ioctl')
      .jump('equal', nr(EXAMINED.socket), 'socket')
      .answer(ANSWER.allow)
      .label('clone')
      .load(DATA.first)
      .jump('anyBit', NEW_NAMESPACE, 'deny')
      .answer(ANSWER.allow)
      .label('ioctl')
      .load(DATA.second)
      .jump('equal', TIOCSTI, 'deny')
      .jump('equal', TIOCLINUX, 'deny')
      .answer(ANSWER.allow)
      .label('socket')
      .load(DATA.first)
      .jump('equal', SOCKETS.unix, 'allow')
      .jump('equal', SOCKETS.inet, 'allow')
      .jump('equal', SOCKETS.inet6, 'allow')
      .jump('equal', NETLINK, 'netlink')
      .answer(ANSWER.notPermitted)
      .label('netlink')
      .load(DATA.third)
      .jump('equal', 0, 'allow')
      .label('deny')
      .answer(ANSWER.notPermitted)
      .label('allow')
      .answer(ANSWER.allow)
      .label('unknown')
      .answer(ANSWER.unknown)
      .label('kill')
      .answer(ANSWER.kill)
      .assemble()
  );
}

/** The filter of every sandbox on this machine, or null where its calls are not known. */
export function filterFor(arch: string): Buffer | null {
  return arch === 'x64' || arch === 'arm64' ? encode(filterProgram(arch)) : null;
}
