export type Architecture = 'x64' | 'arm64';

/** `AUDIT_ARCH_…`: the ABI that a call was made with. */
export const AUDIT_ARCH: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Calls that no agent needs: numbers on x86_64 and aarch64. */
export const DENIED = {
  // Into other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  // Mounts.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  // Namespaces.
  unshare: [272, 97],
  setns: [308, 268],
  // Large parts of the kernel.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  // Keys, which know no namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // The kernel itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
} as const satisfies Record<string, readonly [number, number]>;

/** Calls that depend on their arguments. */
export const EXAMINED = {
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  socket: [41, 198],
} as const satisfies Record<string, readonly [number, number]>;

export const numberOn = (arch: Architecture, numbers: readonly [number, number]): number =>
  numbers[arch === 'x64' ? 0 : 1];
