import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const here = new URL('.', import.meta.url);
const Stories = z.array(z.object({ id: z.string(), title: z.string() }));

it('the table names every story of the plan, and every gate belongs to a story', () => {
  const stories = Stories.parse(JSON.parse(readFileSync(new URL('stories.json', here), 'utf8')));
  const ids = stories.map((story) => story.id);
  expect(ids).toEqual(expect.arrayContaining(['0.1', '1.15', '2.6', '3.2', '4.5', '5.4']));
  expect(new Set(ids).size).toBe(ids.length);
  const gates = readdirSync(here).filter((name) => name.endsWith('.gate.test.ts'));
  const built = gates.map((name) => name.split('-')[0] ?? '');
  expect(built.filter((id) => !ids.includes(id))).toEqual([]);
  expect(built).toEqual(expect.arrayContaining(['0.1', '0.2', '0.3', '2.1', '2.2', '2.3', '2.5']));
});
