import type { Model, ModelGroup } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { findModels, hasModel, modelFacts } from '../src/lib/text/models.ts';

const model = (id: string, change: Partial<Model> = {}): Model => ({
  id,
  name: id,
  contextLength: null,
  maxOutput: null,
  price: null,
  available: true,
  ...change,
});
const groups: ModelGroup[] = [
  {
    provider: 'anthropic',
    name: 'Anthropic',
    models: [model('anthropic/a'), model('anthropic/b')],
  },
  { provider: 'openai', name: 'OpenAI', models: [model('openai/a')] },
];
const ids = (search: string): string[] =>
  findModels(groups, search).flatMap((line) => ('model' in line ? [line.model.id] : []));

describe('the search for models', () => {
  it('finds those that have every word, whatever the case', () => {
    expect(ids('')).toEqual(['anthropic/a', 'anthropic/b', 'openai/a']);
    expect(ids('OPEN')).toEqual(['openai/a']);
    expect(ids('/a anthropic')).toEqual(['anthropic/a']);
    expect(ids('nothing')).toEqual([]);
  });

  it('puts the name of a provider before its models, if any of them is found', () => {
    const lines = findModels(groups, 'openai');
    expect(lines.map((line) => ('heading' in line ? line.heading : line.model.id))).toEqual([
      'OpenAI',
      'openai/a',
    ]);
    expect(new Set(findModels(groups, '').map(({ key }) => key)).size).toBe(5);
  });

  it('tells a model of the list from another', () => {
    expect(hasModel(groups, 'openai/a')?.available).toBe(true);
    expect(hasModel(groups, 'openai/x')).toBeUndefined();
  });
});

describe('what a row says of a model', () => {
  it.each([
    [{}, 'no price'],
    [{ price: { input: 0, output: 0 } }, 'free'],
    [{ price: { input: 3, output: 15 }, contextLength: 200_000 }, '200k · $3 / $15'],
    [{ price: { input: 0.075, output: 0.3 }, contextLength: 1_050_000 }, '1.1M · $0.075 / $0.3'],
    [{ price: { input: 0.0004, output: 0 }, available: false }, 'no key · $0.0004 / $0'],
  ])('%j', (change, text) => {
    expect(modelFacts(model('a/b', change))).toBe(text);
  });
});
