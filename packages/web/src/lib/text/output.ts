import { visible } from './visible.ts';
import { inkAfter, inkLine, type InkSpan, withoutInk } from './ansi.ts';

const SHOWN_LINES = 12;
const STEP = 2000;
/** A longer line is cut: nobody reads it, and a browser takes seconds to lay it out. */
const LINE_CHARS = 4000;

const ESC = '\u001B';
const BEL = '\u0007';
/** Control sequences: CSI, strings (OSC, DCS, PM, APC) up to their end, and the two-character ones. */
const TERMINAL = new RegExp(
  String.raw`${ESC}(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\)?|[ -/]*[0-~])`,
  'g',
);
const SGR = new RegExp(String.raw`^${ESC}\[[0-9;:]*m$`);

/** What a program wrote for a terminal, in lines; only its colours are left of the sequences. */
export function terminalLines(output: string): string[] {
  const clean = output
    .replace(TERMINAL, (sequence) => (SGR.test(sequence) ? sequence : ''))
    .replaceAll('\r\n', '\n')
    .trimEnd();
  return clean.split('\n').map(overwritten);
}

/** A line that a program began anew, as a progress bar does, is what was written last. */
function overwritten(line: string): string {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
  return bare.slice(bare.lastIndexOf('\r') + 1);
}

/** What a program wrote for a terminal, as text for a page. */
export function plain(output: string): string {
  return visible(terminalLines(output).map(withoutInk).join('\n'));
}

export type OutputLine = { spans: InkSpan[]; cut: number };
export type OutputPart = {
  lines: OutputLine[];
  total: number;
  /** What one more step shows; 0: nothing is left. */
  more: number;
};

/** The end of an output, where the result usually stands; with each step more of it. */
export function outputPart(lines: readonly string[], step: number): OutputPart {
  const most = step === 0 ? SHOWN_LINES : STEP * step;
  const from = Math.max(0, lines.length - most);
  let ink = inkAfter(lines.slice(0, from));
  const shown = lines.slice(from).map((line) => {
    const { spans, after } = inkLine(line.slice(0, LINE_CHARS), ink);
    ink = after;
    return { spans, cut: Math.max(0, line.length - LINE_CHARS) };
  });
  return { lines: shown, total: lines.length, more: Math.min(from, STEP) };
}
