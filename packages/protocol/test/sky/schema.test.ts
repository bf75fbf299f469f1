import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunReceipt, SkyEvent, SkyMessage, SkyMetadata, ToolReceipt } from '../../src/sky/index.ts';
import { examples } from '../corpus.ts';

const file = new URL('../../../../docs/reference/sky.schema.json', import.meta.url);
const Document = z.looseObject({ $defs: z.record(z.string(), z.looseObject({})) });
const document = Document.parse(JSON.parse(readFileSync(file, 'utf8')));

/** A definition as a schema of its own: what it refers to comes with it. */
function schemaOf(name: string): z.ZodType {
  const { $defs } = document;
  return z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs });
}

/** What JSON Schema cannot say of a format. */
const UNSAID = ['in its one spelling'];

describe('the JSON Schema of Sky', () => {
  const folders: [folder: string, of: (type: string) => string][] = [
    ['sky', (type) => (type.startsWith('receipt.') ? 'Receipt' : 'SkyEvent')],
    ['sky-message', () => 'SkyMessage'],
  ];
  for (const [folder, of] of folders) {
    for (const { name, type, value, broken } of examples(folder)) {
      it(`[SKY12] takes ${name} and refuses its broken twins`, () => {
        const schema = schemaOf(of(type));
        expect(schema.safeParse(value).error).toBeUndefined();
        for (const { why, line, reason } of broken) {
          if (UNSAID.some((words) => reason.includes(words))) continue;
          expect(schema.safeParse(line).success, why).toBe(false);
        }
      });
    }
  }

  it('[SKY12] takes every line of an export', () => {
    const text = readFileSync(new URL('../../corpus/sky-export/1.jsonl', import.meta.url), 'utf8');
    const schema = schemaOf('SkyExportLine');
    for (const line of text.trimEnd().split('\n')) {
      expect(schema.safeParse(JSON.parse(line)).error).toBeUndefined();
    }
  });
});

describe('docs/reference/sky.md', () => {
  const text = readFileSync(new URL('../../../../docs/reference/sky.md', import.meta.url), 'utf8');
  const shared = ['type', 'thread_id', 'run_id', 'step_id', 'event_id'];

  it.each(SkyEvent.options.map(({ shape }) => ({ type: shape.type.value, shape })))(
    '[SKY12] has the keys of $type',
    ({ type, shape }) => {
      const row = text.split('\n').find((line) => line.startsWith(`| \`${type}\``)) ?? '';
      const [, keys = ''] = row.split(' | ');
      const named = [...keys.matchAll(/`(\w+)`/g)].map(([, key]) => key);
      expect(named).toEqual(Object.keys(shape).filter((key) => !shared.includes(key)));
    },
  );

  it.each([
    ['receipt.run', RunReceipt.shape],
    ['receipt.tool', ToolReceipt.shape],
    ['a message', SkyMessage.shape],
    ['its metadata', SkyMetadata.shape],
  ])('[SKY12] has the keys of %s', (_what, shape) => {
    for (const key of Object.keys(shape)) expect(text).toContain(`\`${key}\``);
  });
});
