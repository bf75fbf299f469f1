import type { Block, ThreadRun } from '@filepath/protocol';

type CallsBlock = Extract<Block, { kind: 'calls' }>;

/** The line under which a run ends. `id` and `seq` are as those of a block. */
export type RunRow = {
  kind: 'run';
  id: string;
  seq: number;
  run: ThreadRun;
  folded: boolean;
  /** Blocks between the message that opened the run and its end; null: not all of them are read. */
  blocks: number | null;
  /** Commits among them that the runner saw. */
  commits: number;
};
export type Row = Block | RunRow;

/** Blocks with the lines of the runs that ended. A line is the same object as long as it says the same. */
export class ThreadRows {
  #lines = new Map<string, RunRow>();
  /** Runs with calls that came late, by the block of these. */
  #late = new WeakMap<CallsBlock, { of: ThreadRun; run: ThreadRun }>();

  of(
    blocks: readonly Block[],
    runs: readonly ThreadRun[],
    folded: ReadonlySet<string>,
    everyLine = true,
  ): readonly Row[] {
    const rows = this.#all(blocks, runs, folded);
    if (everyLine) return rows;
    const metered = blocks.some(({ kind }) => kind === 'calls');
    return rows.filter((row) => row.kind === 'run' || !isQuiet(row, metered));
  }

  #all(
    blocks: readonly Block[],
    runs: readonly ThreadRun[],
    folded: ReadonlySet<string>,
  ): readonly Row[] {
    const rows: Row[] = [];
    const calls = callsByRun(blocks);
    const shown = runs.map((run) => this.#whole(run, calls.get(run.run)));
    let at = 0;
    for (const run of shown) {
      if (run.to === null) break;
      at = takeWhile(blocks, at, run.from, rows);
      const from = at;
      while (at < blocks.length && (blocks[at]?.seq ?? 0) <= run.to) at += 1;
      const inside = blocks.slice(from, at);
      const hides = folded.has(run.run);
      if (!hides) rows.push(...inside.filter((block) => !saidElsewhere(block, shown, inside)));
      const whole = (blocks[0]?.seq ?? 0) <= run.from;
      rows.push(this.#line(run, run.to, hides, inside, whole));
    }
    return rows.length === 0
      ? blocks
      : [...rows, ...blocks.slice(at).filter((block) => !isInLine(block, shown))];
  }

  /** With the calls that were settled after its receipt was stored. */
  #whole(run: ThreadRun, calls: CallsBlock | undefined): ThreadRun {
    const { receipt } = run;
    if (!calls || receipt === null || calls.calls <= (receipt.calls ?? 0)) return run;
    const known = this.#late.get(calls);
    if (known?.of === run) return known.run;
    const { calls: count, tokens, costUsd, estimated } = calls;
    const used = { calls: count, tokens, cost_usd: costUsd, estimated };
    const whole = { ...run, receipt: { ...receipt, ...used } };
    this.#late.set(calls, { of: run, run: whole });
    return whole;
  }

  #line(
    run: ThreadRun,
    seq: number,
    folded: boolean,
    inside: readonly Block[],
    whole: boolean,
  ): RunRow {
    const commits = inside.flatMap((block) =>
      block.kind === 'commits' ? block.commits.filter(({ verified }) => verified) : [],
    );
    const blocks = whole ? inside.length : null;
    const next: RunRow = {
      kind: 'run',
      id: run.run,
      seq,
      run,
      folded,
      blocks,
      commits: commits.length,
    };
    const before = this.#lines.get(run.run);
    if (before && sameLine(before, next)) return before;
    this.#lines.set(run.run, next);
    return next;
  }
}

/** Adds the blocks up to the one with this seq. Gives back where the next begins. */
function takeWhile(blocks: readonly Block[], at: number, upTo: number, rows: Row[]): number {
  let end = at;
  for (let block = blocks[end]; block !== undefined && block.seq <= upTo; block = blocks[end]) {
    rows.push(block);
    end += 1;
  }
  return end;
}

/** The line of a run says that it is done, and has its calls. Many agents end with a summary that is the beginning of their last text. */
function saidElsewhere(
  block: Block,
  runs: readonly ThreadRun[],
  inside: readonly Block[],
): boolean {
  if (block.kind === 'done') return block.summary === null || repeats(block.summary, inside);
  return isInLine(block, runs);
}

function isInLine(block: Block, runs: readonly ThreadRun[]): boolean {
  if (block.kind !== 'calls') return false;
  return runs.some(({ run, receipt }) => run === block.run && receipt?.calls === block.calls);
}

function callsByRun(blocks: readonly Block[]): Map<string, CallsBlock> {
  return new Map(
    blocks.flatMap((block) =>
      block.kind === 'calls' && block.run !== null ? [[block.run, block] as const] : [],
    ),
  );
}

function repeats(summary: string, inside: readonly Block[]): boolean {
  const last = inside.findLast((block) => block.kind === 'text');
  return last?.kind === 'text' && words(last.content).startsWith(words(summary.replace(/…$/, '')));
}

function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Statuses without a reason stand in the header and the tree; what calls took, in the header and the line of a run. */
function isQuiet(block: Block, metered: boolean): boolean {
  if (block.kind === 'status') return block.reason === null && block.state !== 'error';
  return block.kind === 'usage' && metered;
}

function sameLine(a: RunRow, b: RunRow): boolean {
  return (
    a.run === b.run && a.folded === b.folded && a.blocks === b.blocks && a.commits === b.commits
  );
}
