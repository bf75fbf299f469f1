import { BUCKETS, type ChatCounts, type Histogram } from './counts.ts';

/** So many messages make a user of one who tries it. */
const ACTIVATED = 5;

/** What a chat counted, in the text format of Prometheus. */
export function prometheusText(counts: ChatCounts | null): string {
  if (counts === null) return `${gauge('liteclaw_spawned', 'Whether there is a LiteClaw.', 0)}\n`;
  const { messages, whole, ttft, duration, days, returned } = counts;
  const all = Object.values(messages).reduce((sum, n) => sum + n, 0);
  return [
    gauge('liteclaw_spawned', 'Whether there is a LiteClaw.', 1),
    '# HELP liteclaw_messages_total Messages by how they ended.',
    '# TYPE liteclaw_messages_total counter',
    ...Object.entries(messages).map(
      ([outcome, n]) => `liteclaw_messages_total{outcome="${outcome}"} ${n}`,
    ),
    '# HELP liteclaw_whole_answers_total Answers that came in one piece, since no stream did.',
    '# TYPE liteclaw_whole_answers_total counter',
    `liteclaw_whole_answers_total ${whole}`,
    ...histogram('liteclaw_ttft_seconds', 'From a message to the first part of its answer.', ttft),
    ...histogram('liteclaw_duration_seconds', 'From a message to the end of its answer.', duration),
    gauge('liteclaw_active_days', 'Days with a message.', days),
    gauge('liteclaw_activated', `Whether ${ACTIVATED} messages were sent.`, all >= ACTIVATED),
    gauge('liteclaw_returned', 'Whether the user came back on the next day.', returned),
    '',
  ].join('\n');
}

function gauge(name: string, help: string, value: number | boolean): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${Number(value)}`;
}

function histogram(name: string, help: string, { counts, sum }: Histogram): string[] {
  let below = 0;
  const buckets = BUCKETS.map((end, at) => {
    below += counts[at] ?? 0;
    return `${name}_bucket{le="${end}"} ${below}`;
  });
  const all = counts.reduce((total, n) => total + n, 0);
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...buckets,
    `${name}_bucket{le="+Inf"} ${all}`,
    `${name}_sum ${Math.round(sum * 1000) / 1000}`,
    `${name}_count ${all}`,
  ];
}
