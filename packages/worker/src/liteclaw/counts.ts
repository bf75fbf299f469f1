/** Upper ends of the histograms' buckets, in seconds: those of the targets (5 s, 10 s) are among them. */
export const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

export type Histogram = {
  /** Of each bucket alone; the last is what is longer than all. */
  readonly counts: readonly number[];
  readonly sum: number;
};

/** What a chat counts of itself, since it began. */
export type ChatCounts = {
  readonly messages: Readonly<Record<'ok' | 'error' | 'stopped' | 'interrupted', number>>;
  /** Answers that came in one piece. */
  readonly whole: number;
  readonly ttft: Histogram;
  readonly duration: Histogram;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly days: number;
  /** It was used on the day after some day on which it was used. */
  readonly returned: boolean;
};

export const EMPTY_HISTOGRAM: Histogram = {
  counts: Array.from({ length: BUCKETS.length + 1 }, () => 0),
  sum: 0,
};

export const NO_COUNTS: ChatCounts = {
  messages: { ok: 0, error: 0, stopped: 0, interrupted: 0 },
  whole: 0,
  ttft: EMPTY_HISTOGRAM,
  duration: EMPTY_HISTOGRAM,
  firstDay: null,
  lastDay: null,
  days: 0,
  returned: false,
};

export type CountedTurn = {
  readonly outcome: keyof ChatCounts['messages'];
  readonly ttftMs: number | null;
  readonly durationMs: number;
  readonly streamed: boolean;
  readonly at: number;
};

const DAY_MS = 86_400_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function counted(before: ChatCounts, turn: CountedTurn): ChatCounts {
  const { outcome, ttftMs, durationMs, streamed, at } = turn;
  const day = dayOf(at);
  const known = before.lastDay !== null && day <= before.lastDay;
  return {
    messages: { ...before.messages, [outcome]: before.messages[outcome] + 1 },
    whole: before.whole + (outcome === 'ok' && !streamed ? 1 : 0),
    ttft: ttftMs === null ? before.ttft : put(before.ttft, ttftMs),
    duration: put(before.duration, durationMs),
    firstDay: before.firstDay ?? day,
    lastDay: known ? before.lastDay : day,
    days: before.days + (known ? 0 : 1),
    returned: before.returned || before.lastDay === dayOf(at - DAY_MS),
  };
}

export function put({ counts, sum }: Histogram, ms: number): Histogram {
  const seconds = ms / 1000;
  const found = BUCKETS.findIndex((end) => seconds <= end);
  const bucket = found < 0 ? BUCKETS.length : found;
  return { counts: counts.map((n, at) => (at === bucket ? n + 1 : n)), sum: sum + seconds };
}
