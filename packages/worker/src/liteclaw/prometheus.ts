import type { AllExtensionCounts } from './extensions/counts.ts';
import { BUCKETS, EMPTY_HISTOGRAM, type ChatCounts, type Histogram } from './counts.ts';

/** So many messages make a user of one who tries it. */
const ACTIVATED = 5;

/** What a chat counted, in the text format of Prometheus. */
export function prometheusText(
  counts: ChatCounts | null,
  extensions: AllExtensionCounts = {},
): string {
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
    ...extensionLines(extensions),
    '',
  ].join('\n');
}

function gauge(name: string, help: string, value: number | boolean): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${Number(value)}`;
}

function extensionLines(all: AllExtensionCounts): string[] {
  const names = Object.keys(all).toSorted();
  if (names.length === 0) return [];
  const lines = (what: 'calls' | 'errors', help: string): string[] => [
    `# HELP liteclaw_extension_${what}_total ${help}`,
    `# TYPE liteclaw_extension_${what}_total counter`,
    ...names.flatMap((name) =>
      Object.entries(all[name]?.[what] ?? {}).map(
        ([of, n]) => `liteclaw_extension_${what}_total{extension="${name}",of="${of}"} ${n}`,
      ),
    ),
  ];
  const duration = 'liteclaw_extension_duration_seconds';
  return [
    ...lines('calls', 'What was asked of an extension: its tools, and its hooks by name.'),
    ...lines('errors', 'How often that failed.'),
    '# HELP liteclaw_extension_refused_total Answers that an extension was left out of.',
    '# TYPE liteclaw_extension_refused_total counter',
    ...names.map(
      (name) => `liteclaw_extension_refused_total{extension="${name}"} ${all[name]?.refused ?? 0}`,
    ),
    `# HELP ${duration} How long calls of an extension took.`,
    `# TYPE ${duration} histogram`,
    ...names.flatMap((name) => series(duration, all[name]?.duration, `extension="${name}"`)),
  ];
}

function histogram(name: string, help: string, given: Histogram): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...series(name, given)];
}

function series(name: string, given: Histogram = EMPTY_HISTOGRAM, label = ''): string[] {
  const { counts, sum } = given;
  const at = label === '' ? '' : `{${label}}`;
  const le = label === '' ? 'le' : `${label},le`;
  let below = 0;
  const buckets = BUCKETS.map((end, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket{${le}="${end}"} ${below}`;
  });
  const all = counts.reduce((total, n) => total + n, 0);
  return [
    ...buckets,
    `${name}_bucket{${le}="+Inf"} ${all}`,
    `${name}_sum${at} ${Math.round(sum * 1000) / 1000}`,
    `${name}_count${at} ${all}`,
  ];
}
