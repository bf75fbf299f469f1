import { issuesOf } from '../errors.ts';
import { deeperThan } from '../json.ts';
import { LIMITS } from '../limits.ts';
import type { Line } from '../lines.ts';
import { GENESIS } from '../thread/chain.ts';
import { SkyContents } from './export-contents.ts';
import { skyExportClaim, SkyExportLine, skyLineInput, SkyLineType } from './export-lines.ts';
import { isSignedBy, sha256Hex } from './hashing.ts';

/** What is wrong with an export, and at which of its lines. */
export class SkyExportFault extends Error {
  readonly line: number;
  readonly reason: string;

  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
    this.name = 'SkyExportFault';
    this.line = line;
    this.reason = reason;
  }
}

export type SkyExportSummary = {
  thread: string;
  lines: number;
  messages: number;
  events: number;
  receipts: number;
  memory: number;
  /** The hash of the last line before the end. */
  head: string;
  key: string;
};

/**
 * Gives the lines of an export as they are read, one in memory at a time, and throws a SkyExportFault at the first that is
 * wrong. What was given counts only when the end has been reached: a cut tail shows there, and so does the signature.
 */
export async function* readSkyExport(
  lines: AsyncIterable<Line>,
): AsyncGenerator<SkyExportLine, SkyExportSummary> {
  const contents = new SkyContents();
  let n = 0;
  let head = GENESIS;
  let summary: SkyExportSummary | null = null;
  for await (const given of lines) {
    if (summary !== null) throw new SkyExportFault(given.number, 'something follows the end');
    const line = await lineAfter(given, n, head);
    const fault = await contents.next(line);
    if (fault !== null) throw new SkyExportFault(given.number, fault);
    if (line.type === 'end') {
      const { public_key: key, signature } = line.body;
      const thread = contents.thread;
      if (!(await isSignedBy(key, signature, skyExportClaim(thread, n, head)))) {
        throw new SkyExportFault(given.number, 'the signature is bad');
      }
      if (!given.ended) throw new SkyExportFault(given.number, 'the tail is cut: no line break');
      summary = { thread, lines: n + 1, ...contents.counts, head, key };
    }
    n += 1;
    head = line.hash;
    yield line;
  }
  if (summary === null) throw new SkyExportFault(n + 1, 'the tail is cut: there is no end');
  return summary;
}

/** The line itself, if its number and its hash follow what was read. */
async function lineAfter(given: Line, last: number, previous: string): Promise<SkyExportLine> {
  const expected = last + 1;
  const bad = (reason: string): never => {
    throw new SkyExportFault(given.number, reason);
  };
  if (given.text === null) return bad(`it is changed: ${given.problem}`);
  const value = valueOf(given.text) ?? bad('it is changed: not JSON in the form of an export');
  const { n, type, body, hash } = value;
  const known = SkyLineType.safeParse(type);
  if (!known.success) return bad('it is of no type that an export has');
  if (n !== expected) {
    return bad(
      n > expected
        ? `line ${expected} is missing or comes later: this is line ${n}`
        : `line ${n} is repeated or out of order: line ${expected} is expected`,
    );
  }
  const text = JSON.stringify(body);
  if ((await sha256Hex(skyLineInput(previous, n, known.data, text))) !== hash) {
    return bad('it is changed: it does not match its hash');
  }
  const parsed = SkyExportLine.safeParse(value);
  if (!parsed.success) {
    const [first] = issuesOf(parsed.error);
    return bad(`it cannot be read: ${first?.path ?? ''}: ${first?.reason ?? ''}`);
  }
  return { ...parsed.data, body } as SkyExportLine;
}

/** Null for another spelling of the same value, a key given twice among them: that is not what was written. */
function valueOf(text: string): { n: number; type: string; body: unknown; hash: string } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || deeperThan(value, LIMITS.depth)) return null;
  const { n, type, body, hash } = value as Record<string, unknown>;
  if (typeof n !== 'number' || typeof type !== 'string' || typeof hash !== 'string') return null;
  const line = { n, type, body, hash };
  return JSON.stringify(line) === text ? line : null;
}
