import { nearest } from './ansi-colours.ts';
import { visible } from './visible.ts';

/** A part of a line with the classes of its look. */
export type InkSpan = { text: string; look: string };

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
export type Colour = (typeof COLOURS)[number];

type Flag = 'bold' | 'dim' | 'italic' | 'underline' | 'inverse' | 'strike';
type Ink = { colour: Colour | null; ground: Colour | null; flags: ReadonlySet<Flag> };
export const PLAIN: Ink = { colour: null, ground: null, flags: new Set() };

const ON: Readonly<Record<number, Flag>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
};
const OFF: Readonly<Record<number, readonly Flag[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
};

const ESC = '\u001B';
const SGR = new RegExp(String.raw`${ESC}\[([0-9;:]*)m`, 'g');

/** One line as spans, from the ink that the line before left, and the ink it leaves. Nothing but SGR is expected. */
export function inkLine(line: string, before: Ink): { spans: InkSpan[]; after: Ink } {
  const spans: InkSpan[] = [];
  let ink = before;
  let from = 0;
  const add = (text: string): void => {
    if (text !== '') spans.push({ text: visible(text), look: lookOf(ink) });
  };
  for (const match of line.matchAll(SGR)) {
    add(line.slice(from, match.index));
    ink = inked(ink, match[1] ?? '');
    from = match.index + match[0].length;
  }
  add(line.slice(from));
  return { spans, after: ink };
}

/** The ink that text leaves. */
export function inkAfter(lines: readonly string[]): Ink {
  let ink = PLAIN;
  for (const line of lines)
    for (const match of line.matchAll(SGR)) ink = inked(ink, match[1] ?? '');
  return ink;
}

/** The text without its ink. */
export const withoutInk = (line: string): string => line.replace(SGR, '');

function inked(before: Ink, parameters: string): Ink {
  const codes = parameters
    .split(/[;:]/)
    .slice(0, 32)
    .map((code) => (code === '' ? 0 : Number(code)));
  let ink = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, taken } = extended(codes.slice(at + 1));
      at += taken;
      ink = code === 38 ? { ...ink, colour } : { ...ink, ground: colour };
    } else ink = one(ink, code);
  }
  return ink;
}

function one(ink: Ink, code: number): Ink {
  const on = ON[code];
  if (on !== undefined) return { ...ink, flags: new Set([...ink.flags, on]) };
  const off = OFF[code];
  if (off !== undefined) {
    return { ...ink, flags: new Set([...ink.flags].filter((flag) => !off.includes(flag))) };
  }
  if (code === 0) return PLAIN;
  if (code === 39) return { ...ink, colour: null };
  if (code === 49) return { ...ink, ground: null };
  const base = COLOURS[code % 10];
  if (base === undefined) return ink;
  const tens = Math.floor(code / 10);
  if (tens === 3 || tens === 9) return { ...ink, colour: base };
  if (tens === 4 || tens === 10) return { ...ink, ground: base };
  return ink;
}

/** Colours of 256 and of 24 bits become the nearest that is readable in both themes. */
function extended(codes: readonly number[]): { colour: Colour | null; taken: number } {
  const [mode, a = 0, b = 0, c = 0] = codes;
  if (mode === 5) return { colour: nearest256(a), taken: 2 };
  if (mode === 2) return { colour: nearest(a, b, c), taken: 4 };
  return { colour: null, taken: codes.length };
}

function nearest256(index: number): Colour | null {
  if (index < 16) return COLOURS[index % 8] ?? null;
  if (index >= 232) return nearest(...grey(8 + (index - 232) * 10));
  const cube = index - 16;
  const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

const grey = (level: number): [number, number, number] => [level, level, level];

function lookOf({ colour, ground, flags }: Ink): string {
  const swapped = flags.has('inverse');
  const [front, back] = swapped ? [ground, colour] : [colour, ground];
  return [
    ...(front === null ? [] : [`ink-${front}`]),
    ...(back === null ? [] : [`ground-${back}`]),
    ...[...flags].filter((flag) => flag !== 'inverse' || (front === null && back === null)),
  ].join(' ');
}
