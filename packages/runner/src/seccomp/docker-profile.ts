import { type Architecture, DENIED } from './syscalls.ts';

type Condition = { index: number; value: number; valueTwo?: number; op: string };
type Rule = { names: string[]; action: 'SCMP_ACT_ERRNO'; errnoRet: number; args?: Condition[] };

const EPERM = 1;
const ENOSYS = 38;
const LOW_HALF = 0xffffffff;
/** `CLONE_NEW…` for cgroup, uts, ipc, user, pid, net and mounts, each a bit. */
const NEW_NAMESPACE = [
  0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x00020000,
];
const TERMINAL = [0x5412, 0x541c];
const FAMILIES = [1, 2, 10, 16];
const NETLINK = 16;
/** The kernel knows none from here on. */
const FAMILIES_END = 64;
const ARCHES: Record<Architecture, string> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
};

const deny = (name: string, ...args: Condition[]): Rule => ({
  names: [name],
  action: 'SCMP_ACT_ERRNO',
  errnoRet: EPERM,
  ...(args.length === 0 ? {} : { args }),
});

/** The low half of an argument is this: the kernel reads no more of it. */
const low = (index: number, value: number): Condition => ({
  index,
  value: LOW_HALF,
  valueTwo: value,
  op: 'SCMP_CMP_MASKED_EQ',
});

/** The sandbox's filter of system calls, in the words of container engines. Calls of another ABI kill. */
export function dockerProfile(arch: string): object | null {
  if (arch !== 'x64' && arch !== 'arm64') return null;
  const others = Array.from({ length: FAMILIES_END }, (_, family) => family).filter(
    (family) => !FAMILIES.includes(family),
  );
  const rules: Rule[] = [
    ...Object.keys(DENIED).map((name) => deny(name)),
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ...NEW_NAMESPACE.map((bit) =>
      deny('clone', { index: 0, value: bit, valueTwo: bit, op: 'SCMP_CMP_MASKED_EQ' }),
    ),
    ...TERMINAL.map((call) => deny('ioctl', low(1, call))),
    ...others.map((family) => deny('socket', low(0, family))),
    // Also every number with something in its high half.
    deny('socket', { index: 0, value: FAMILIES_END, op: 'SCMP_CMP_GE' }),
    deny('socket', low(0, NETLINK), { index: 2, value: 0, op: 'SCMP_CMP_NE' }),
  ];
  return { defaultAction: 'SCMP_ACT_ALLOW', architectures: [ARCHES[arch]], syscalls: rules };
}
