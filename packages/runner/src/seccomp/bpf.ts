/** One instruction of classic BPF, as `struct sock_filter` has it. */
export type Instruction = { code: number; jt: number; jf: number; k: number };

export const BPF = {
  /** A = the 32-bit word of the call's data at offset k. */
  load: 0x20,
  /** Jump by jt if A = k, A ≥ k, A & k ≠ 0; else by jf. */
  equal: 0x15,
  atLeast: 0x35,
  anyBit: 0x45,
  /** The answer k. */
  answer: 0x06,
} as const;

/** A jump reaches over this many instructions. */
const FARTHEST = 255;

type Step =
  | { code: typeof BPF.load | typeof BPF.answer; k: number }
  | { code: typeof BPF.equal | typeof BPF.atLeast | typeof BPF.anyBit; k: number; to: string };

/** A program whose jumps name their targets. Every jump goes forward: BPF knows no other. */
export class Assembler {
  readonly #steps: Step[] = [];
  readonly #labels = new Map<string, number>();

  load(offset: number): this {
    return this.#add({ code: BPF.load, k: offset });
  }

  answer(k: number): this {
    return this.#add({ code: BPF.answer, k });
  }

  /** Goes to the label if the condition holds, else to the next instruction. */
  jump(condition: 'equal' | 'atLeast' | 'anyBit', k: number, to: string): this {
    return this.#add({ code: BPF[condition], k, to });
  }

  label(name: string): this {
    if (this.#labels.has(name)) throw new Error(`the label ${name} stands twice`);
    this.#labels.set(name, this.#steps.length);
    return this;
  }

  assemble(): Instruction[] {
    return this.#steps.map((step, at) => {
      if (!('to' in step)) return { code: step.code, jt: 0, jf: 0, k: step.k };
      const jt = (this.#labels.get(step.to) ?? -1) - at - 1;
      if (jt < 0 || jt > FARTHEST) throw new Error(`a jump to ${step.to} from ${at} is too far`);
      return { code: step.code, jt, jf: 0, k: step.k };
    });
  }

  #add(step: Step): this {
    this.#steps.push(step);
    return this;
  }
}

/** The bytes that bubblewrap hands to the kernel. Both architectures are little-endian. */
export function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jt, index * 8 + 2);
    bytes.writeUInt8(jf, index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return bytes;
}
