import type { Model, ModelGroup, ModelPrice } from '@filepath/protocol';

/** More rows than this help nobody: the search does. */
const MOST = 100;

export type ModelRows = {
  readonly groups: readonly ModelGroup[];
  /** Models that are not shown. */
  readonly more: number;
};

/** The models that have all words of a search, grouped as before, the first of them. */
export function findModels(groups: readonly ModelGroup[], search: string): ModelRows {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found: ModelGroup[] = [];
  let shown = 0;
  let more = 0;
  for (const group of groups) {
    const models = group.models.filter((model) => {
      const text = `${model.id} ${model.name} ${group.name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const room = Math.max(0, MOST - shown);
    if (models.length > 0 && room > 0) found.push({ ...group, models: models.slice(0, room) });
    shown += Math.min(models.length, room);
    more += Math.max(0, models.length - room);
  }
  return { groups: found, more };
}

/** What a million tokens cost, of input and of output. */
function priceText(price: ModelPrice | null): string {
  if (price === null) return 'no price';
  if (price.input === 0 && price.output === 0) return 'free';
  return `${dollars(price.input)} / ${dollars(price.output)}`;
}

function dollars(usd: number): string {
  return `$${Number(usd >= 1 ? usd.toFixed(2) : usd.toPrecision(2))}`;
}

/** 200000 as 200k. */
function contextText(tokens: number): string {
  return tokens >= 1_000_000
    ? `${Number((tokens / 1_000_000).toFixed(1))}M`
    : `${Math.round(tokens / 1000)}k`;
}

/** What a row says of a model beside its name. */
export function modelFacts({ available, contextLength, price }: Model): string {
  return [
    ...(available ? [] : ['no key']),
    ...(contextLength === null ? [] : [contextText(contextLength)]),
    priceText(price),
  ].join(' · ');
}

export function hasModel(groups: readonly ModelGroup[], id: string): Model | undefined {
  return groups.flatMap(({ models }) => models).find((model) => model.id === id);
}
