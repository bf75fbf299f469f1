import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Assembler, BPF, encode, type Instruction } from '../src/seccomp/bpf.ts';
import { ANSWER, filterFor, filterProgram } from '../src/seccomp/filter.ts';
import {
  type Architecture,
  AUDIT_ARCH,
  DENIED,
  EXAMINED,
  numberOn,
} from '../src/seccomp/syscalls.ts';

type Call = { arch: number; number: number; args?: readonly (number | bigint)[] };

/** What the kernel would answer. Leaving the program is a fault. */
function run(program: Buffer, call: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.arch, 4);
  for (const [index, value] of (call.args ?? []).entries()) {
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * index);
  }
  let accumulator = 0;
  for (let at = 0; ; at++) {
    if (at * 8 >= program.length) throw new Error('the program was left');
    const code = program.readUInt16LE(at * 8);
    const k = program.readUInt32LE(at * 8 + 4);
    if (code === BPF.answer) return k;
    if (code === BPF.load) {
      accumulator = data.readUInt32LE(k);
      continue;
    }
    const holds =
      code === BPF.equal
        ? accumulator === k
        : code === BPF.atLeast
          ? accumulator >= k
          : code === BPF.anyBit && (accumulator & k) !== 0;
    at += program.readUInt8(at * 8 + (holds ? 2 : 3));
  }
}

const ARCHES: readonly Architecture[] = ['x64', 'arm64'];

/** read, write, openat, close, mmap, futex, execve, wait4, exit_group, fchdir, epoll, connect, prctl, seccomp */
const ALLOWED: Record<Architecture, number[]> = {
  x64: [0, 1, 257, 3, 9, 202, 59, 61, 231, 81, 281, 42, 157, 317],
  arm64: [63, 64, 56, 57, 222, 98, 221, 260, 94, 50, 22, 203, 167, 277],
};

describe.each(ARCHES)('the filter of system calls on %s', (arch) => {
  const program = encode(filterProgram(arch));
  const call = (number: number, ...args: (number | bigint)[]): number =>
    run(program, { arch: AUDIT_ARCH[arch], number, args });
  const examined = (name: keyof typeof EXAMINED, ...args: (number | bigint)[]): number =>
    call(numberOn(arch, EXAMINED[name]), ...args);

  it.each(Object.entries(DENIED))('[RUN16] denies %s', (_name, numbers) => {
    expect(call(numberOn(arch, numbers))).toBe(ANSWER.notPermitted);
  });

  it('[RUN16] allows what programs live on', () => {
    for (const number of ALLOWED[arch]) expect(call(number), `${number}`).toBe(ANSWER.allow);
  });

  it('[RUN16] answers clone3 as a kernel that does not have it', () => {
    expect(examined('clone3')).toBe(ANSWER.unknown);
  });

  it('[RUN16] lets threads and processes be made, and no namespace', () => {
    const thread = 0x3d0f00;
    const vfork = 0x4111;
    for (const flags of [17, thread, vfork]) expect(examined('clone', flags)).toBe(ANSWER.allow);
    const created = [0x20000, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30];
    for (const flag of created) {
      expect(examined('clone', flag | 17), `${flag}`).toBe(ANSWER.notPermitted);
    }
  });

  it('[RUN16] denies input into a terminal, whatever stands in the half that the kernel ignores', () => {
    for (const request of [0x5412, 0x541c]) {
      expect(examined('ioctl', 0, request)).toBe(ANSWER.notPermitted);
      expect(examined('ioctl', 0, (1n << 32n) | BigInt(request))).toBe(ANSWER.notPermitted);
    }
    for (const request of [0x5401, 0x5413, 0x5421]) {
      expect(examined('ioctl', 0, request)).toBe(ANSWER.allow);
    }
  });

  it('[RUN16] allows sockets of files, of the internet and for routes, and no other', () => {
    for (const family of [1, 2, 10]) expect(examined('socket', family, 1)).toBe(ANSWER.allow);
    expect(examined('socket', 16, 3, 0)).toBe(ANSWER.allow);
    expect(examined('socket', 16, 3, 9)).toBe(ANSWER.notPermitted);
    for (const family of [0, 15, 17, 31, 38, 40, 44]) {
      expect(examined('socket', family, 1), `${family}`).toBe(ANSWER.notPermitted);
    }
  });

  it('[RUN16] kills what calls through another ABI', () => {
    const i386 = 0x40000003;
    const other = AUDIT_ARCH[arch === 'x64' ? 'arm64' : 'x64'];
    for (const foreign of [i386, other, 0]) {
      expect(run(program, { arch: foreign, number: 0 })).toBe(ANSWER.kill);
    }
    for (const number of [0, 101]) expect(call(0x40000000 + number)).toBe(ANSWER.kill);
  });

  it('[RUN16] answers every call: no jump leaves the program', () => {
    const answers: number[] = Object.values(ANSWER);
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(AUDIT_ARCH[arch]), fc.nat()),
        fc.oneof(fc.nat(500), fc.nat()),
        fc.array(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { maxLength: 6 }),
        (abi, number, args) => answers.includes(run(program, { arch: abi, number, args })),
      ),
      { numRuns: 2000 },
    );
    for (const [at, { jt, jf }] of filterProgram(arch).entries()) {
      expect(at + 1 + Math.max(jt, jf)).toBeLessThanOrEqual(filterProgram(arch).length);
    }
  });
});

describe('the assembler', () => {
  it('puts jumps where their labels are', () => {
    const program: Instruction[] = new Assembler()
      .load(4)
      .jump('equal', 7, 'end')
      .answer(1)
      .label('end')
      .answer(2)
      .assemble();
    expect(program[1]).toEqual({ code: BPF.equal, jt: 1, jf: 0, k: 7 });
    expect(encode(program).toString('hex')).toMatch(/^20000000040000001500010007000000/);
  });

  it('refuses a jump to nowhere, backward or too far', () => {
    const back = new Assembler().label('a').load(0).jump('equal', 0, 'a').answer(0);
    const nowhere = new Assembler().jump('equal', 0, 'a').answer(0);
    const far = new Assembler().jump('equal', 0, 'a');
    for (let i = 0; i < 256; i++) far.load(0);
    for (const program of [back, nowhere, far.label('a').answer(0)]) {
      expect(() => program.assemble()).toThrow(/too far/);
    }
  });

  it('has no filter for an unknown processor', () => {
    expect(filterFor('riscv64')).toBeNull();
    expect(filterFor(process.arch)).not.toBeNull();
  });
});
