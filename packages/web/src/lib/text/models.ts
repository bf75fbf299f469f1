import type { Model, ModelGroup, ModelPrice } from '@filepath/protocol';

/** A line of the list: the name of a provider, or a model of it. */
export type ModelLine =
  | { readonly key: string; readonly heading: string }
  | { readonly key: string; readonly model: Model };

/** The models that have all words of a search, below the names of their providers. */
export function findModels(groups: readonly ModelGroup[], search: string): ModelLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.flatMap((group) => {
    const models = group.models.filter((model) => {
      const text = `${model.id} ${model.name} ${group.name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (models.length === 0) return [];
    return [
      { key: `group ${group.provider}`, heading: group.name },
      ...models.map((model) => ({ key: model.id, model })),
    ];
  });
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
