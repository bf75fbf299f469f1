import { expect, it } from 'vitest';
import { NO_COUNTS } from '../../../../src/liteclaw/counts.ts';
import { ExtensionCounter } from '../../../../src/liteclaw/extensions/counts.ts';
import { prometheusText } from '../../../../src/liteclaw/prometheus.ts';
import { chatSql } from '../tools/support.ts';

it('[EXT12] counts calls, failures and durations of each extension, and how often it was left out', () => {
  const counter = new ExtensionCounter(chatSql());
  expect(prometheusText(NO_COUNTS, counter.all())).not.toContain('extension');
  counter.add('test.one', { of: 'tool', ok: true, ms: 40 });
  counter.add('test.one', { of: 'tool', ok: false, ms: 700 });
  counter.add('test.one', { of: 'onMessage', ok: true, ms: 20 });
  counter.refused('test.two');
  const lines = prometheusText(NO_COUNTS, counter.all()).split('\n');
  for (const line of [
    'liteclaw_extension_calls_total{extension="test.one",of="tool"} 2',
    'liteclaw_extension_calls_total{extension="test.one",of="onMessage"} 1',
    'liteclaw_extension_errors_total{extension="test.one",of="tool"} 1',
    'liteclaw_extension_errors_total{extension="test.one",of="onMessage"} 0',
    'liteclaw_extension_refused_total{extension="test.one"} 0',
    'liteclaw_extension_refused_total{extension="test.two"} 1',
    'liteclaw_extension_duration_seconds_bucket{extension="test.one",le="0.1"} 2',
    'liteclaw_extension_duration_seconds_bucket{extension="test.one",le="+Inf"} 3',
    'liteclaw_extension_duration_seconds_sum{extension="test.one"} 0.76',
    'liteclaw_extension_duration_seconds_count{extension="test.one"} 3',
  ])
    expect(lines).toContain(line);
  expect(lines.filter((line) => line.startsWith('# TYPE liteclaw_extension_'))).toHaveLength(4);
});

it('[EXT12] counts so many extensions, and no more', () => {
  const counter = new ExtensionCounter(chatSql());
  for (let n = 0; n < 70; n += 1) counter.refused(`test.e${n}`);
  expect(Object.keys(counter.all())).toHaveLength(64);
});
