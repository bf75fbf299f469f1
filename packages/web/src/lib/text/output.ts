const SHOWN_LINES = 12;
const SHOWN_CHARS = 4000;

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
/** Control sequences: CSI, OSC up to its end, and the two-character ones. */
const TERMINAL = new RegExp(
  String.raw`${ESC}(?:\[[0-?]*[ -/]*[@-~]|\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\)?|[@-Z\\-_])`,
  'g',
);

/** What a program wrote for a terminal, as text for a page. */
export function plain(output: string): string {
  return output.replace(TERMINAL, '').replaceAll('\r\n', '\n').trimEnd();
}

export type Excerpt = { text: string; lines: number; whole: boolean };

/** The end of a long output, where the result usually stands. */
export function excerpt(output: string): Excerpt {
  const lines = output.split('\n');
  if (lines.length <= SHOWN_LINES && output.length <= SHOWN_CHARS) {
    return { text: output, lines: lines.length, whole: true };
  }
  const tail = lines.slice(-SHOWN_LINES).join('\n').slice(-SHOWN_CHARS);
  return { text: tail, lines: lines.length, whole: false };
}
