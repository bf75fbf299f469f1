import { describe, expect, it } from 'vitest';
import { counted, NO_COUNTS } from '../../../src/liteclaw/counts.ts';
import { prometheusText } from '../../../src/liteclaw/prometheus.ts';
import { withTimeLeft } from '../../../src/liteclaw/replies.ts';
import { CHAT_MIGRATIONS } from '../../../src/liteclaw/schema.ts';
import { liteclawSettings } from '../../../src/liteclaw/settings.ts';
import { Turns } from '../../../src/liteclaw/turns.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { nodeSql } from '../support/node-sql.ts';

const DAY = 86_400_000;
const turn = (at: number, ttftMs: number | null = 100) =>
  ({ outcome: 'ok', ttftMs, durationMs: 4_000, streamed: true, at }) as const;

describe('[CLAW17] counts', () => {
  it('tells a return on the next day from one later', () => {
    const first = counted(NO_COUNTS, turn(0));
    expect(counted(first, turn(DAY)).returned).toBe(true);
    const later = counted(first, turn(3 * DAY));
    expect(later).toMatchObject({ returned: false, days: 2 });
    expect(counted(later, turn(3 * DAY + 5)).days).toBe(2);
  });

  it('gives histograms that grow, in the text format', () => {
    let counts = NO_COUNTS;
    for (const ms of [50, 4_000, 9_000, 100_000]) counts = counted(counts, turn(0, ms));
    counts = counted(counts, { ...turn(0, null), outcome: 'error', streamed: false });
    counts = counted(counts, { ...turn(0, 20_000), streamed: false });
    const text = prometheusText(counts);
    expect(text).toContain('liteclaw_ttft_seconds_bucket{le="0.1"} 1\n');
    expect(text).toContain('liteclaw_ttft_seconds_bucket{le="5"} 2\n');
    expect(text).toContain('liteclaw_ttft_seconds_bucket{le="10"} 3\n');
    expect(text).toContain('liteclaw_ttft_seconds_bucket{le="+Inf"} 5\n');
    expect(text).toContain('liteclaw_ttft_seconds_count 5\n');
    expect(text).toContain('liteclaw_messages_total{outcome="error"} 1\n');
    expect(text).toContain('liteclaw_whole_answers_total 1\n');
    expect(text).toContain('liteclaw_activated 1\n');
    for (const whole of [text, prometheusText(null)]) expect(whole).toMatch(/[^\n]\n$/);
  });

  it('a message is counted once, and its rows are bounded', () => {
    const sql = nodeSql();
    migrate(sql, CHAT_MIGRATIONS);
    let now = 1_000;
    const turns = new Turns(sql, () => now);
    const end = { outcome: 'ok', streamed: true } as const;
    for (let at = 0; at < 600; at += 1) {
      now += 200;
      turns.begin(`r${at}`, `m${at}`, 'c');
      now += 7;
      const firstAt = now - 2;
      expect(turns.end(`r${at}`, { ...end, firstAt })).toEqual({ ttftMs: 5, durationMs: 7 });
      expect(turns.end(`r${at}`, { ...end, firstAt })).toBeNull();
    }
    turns.begin('open', 'm', 'c');
    expect(turns.open().map(({ request }) => request)).toEqual(['open']);
    expect(turns.counts().messages.ok).toBe(600);
    expect(sql.all('SELECT request FROM turns')).toHaveLength(501);
  });

  it('[CLAW14] every message of the last minute counts, however many there are', () => {
    const sql = nodeSql();
    migrate(sql, CHAT_MIGRATIONS);
    let now = 1_000_000;
    const turns = new Turns(sql, () => now);
    for (let at = 0; at < 1_200; at += 1) {
      now += 25;
      turns.begin(`r${at}`, `m${at}`, 'c');
      turns.end(`r${at}`, { outcome: 'ok', streamed: true, firstAt: now });
    }
    expect(turns.recent()).toBe(1_200);
    expect(turns.outcomeOf('r0')).toBe('ok');
    expect(turns.outcomeOf('other')).toBeNull();
    now += 60_000;
    expect(turns.recent()).toBe(0);
  });
});

describe('[CLAW9] the time to the first word', () => {
  it('counts from the message', () => {
    const sql = nodeSql();
    migrate(sql, CHAT_MIGRATIONS);
    let now = 1_000;
    const turns = new Turns(sql, () => now);
    turns.begin('r', 'm', 'c');
    now += 3_000;
    expect([turns.waited('r'), turns.waited('unknown')]).toEqual([3_000, 0]);
    const left = (waited: number) =>
      withTimeLeft({ ...liteclawSettings({}), firstByteMs: 10_000 }, waited).firstByteMs;
    expect([left(0), left(turns.waited('r')), left(3_600_000)]).toEqual([10_000, 7_000, 5_000]);
  });
});
