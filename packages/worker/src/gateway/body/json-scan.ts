/** A member of an object: where its key begins, and where its value begins and ends. */
export type Member = {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
};

/** Where an object's braces are, and its members in their order. */
export type Scanned = {
  readonly open: number;
  readonly close: number;
  readonly members: readonly Member[];
};

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const MAX_KEY = 1024;
const MAX_MEMBERS = 1024;

/**
 * The members of the JSON object that `bytes` are from `from` up to `to`, or null where they are none. What is
 * inside the values is stepped over, not checked: values of a valid object are found exactly where they are.
 */
export function scanObject(bytes: Uint8Array, from = 0, to = bytes.length): Scanned | null {
  const open = skipSpace(bytes, from, to);
  if (bytes[open] !== OPEN_BRACE) return null;
  const members: Member[] = [];
  let at = skipSpace(bytes, open + 1, to);
  if (bytes[at] === CLOSE_BRACE && at < to) return closed(bytes, { open, close: at, members }, to);
  while (at < to && members.length < MAX_MEMBERS) {
    const member = readMember(bytes, at, to);
    if (!member) return null;
    members.push(member);
    at = skipSpace(bytes, member.valueEnd, to);
    if (at >= to) return null;
    if (bytes[at] === CLOSE_BRACE) return closed(bytes, { open, close: at, members }, to);
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1, to);
  }
  return null;
}

/** Nothing but white space may follow the object. */
function closed(bytes: Uint8Array, scanned: Scanned, to: number): Scanned | null {
  return skipSpace(bytes, scanned.close + 1, to) === to ? scanned : null;
}

function readMember(bytes: Uint8Array, start: number, to: number): Member | null {
  if (bytes[start] !== QUOTE) return null;
  const keyEnd = stringEnd(bytes, start, to);
  if (keyEnd === null || keyEnd - start > MAX_KEY) return null;
  const key = plainText(bytes, start + 1, keyEnd - 1) ?? parsed(bytes, start, keyEnd);
  const colon = skipSpace(bytes, keyEnd, to);
  if (typeof key !== 'string' || colon >= to || bytes[colon] !== COLON) return null;
  const valueStart = skipSpace(bytes, colon + 1, to);
  const valueEnd = endOfValue(bytes, valueStart, to);
  return valueEnd === null ? null : { key, start, valueStart, valueEnd };
}

function endOfValue(bytes: Uint8Array, start: number, to: number): number | null {
  if (start >= to) return null;
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start, to);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return nestedEnd(bytes, start, to);
  let at = start;
  while (at < to && isLiteral(bytes[at])) at += 1;
  return at === start || parsed(bytes, start, at) === undefined ? null : at;
}

function nestedEnd(bytes: Uint8Array, start: number, to: number): number | null {
  let depth = 0;
  for (let at = start; at < to; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at, to);
      if (end === null) return null;
      at = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

/** Past the closing quote. The search for quotes is the engine's own: prompts are long strings. */
function stringEnd(bytes: Uint8Array, start: number, to: number): number | null {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0 && at < to;) {
    let before = at - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    if ((at - 1 - before) % 2 === 0) return at + 1;
    at = bytes.indexOf(QUOTE, at + 1);
  }
  return null;
}

function skipSpace(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(bytes[at])) at += 1;
  return at;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Of a number, `true`, `false` or `null`: - + . digits and letters. */
const isLiteral = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e);

/** A text of plain letters, as nearly all keys are; null where it has others and is to be decoded. */
function plainText(bytes: Uint8Array, start: number, end: number): string | null {
  let text = '';
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return null;
    text += String.fromCharCode(byte);
  }
  return text;
}

const decoder = new TextDecoder();

/** Names, numbers and flags: put together here faster than by the decoder. */
const SHORT = 64;

/** The value between two places; undefined where it is no JSON. */
export function parsed(bytes: Uint8Array, start: number, end: number): unknown {
  const short = end - start <= SHORT ? plainText(bytes, start, end) : null;
  try {
    return JSON.parse(short ?? decoder.decode(bytes.subarray(start, end)));
  } catch {
    return undefined;
  }
}
