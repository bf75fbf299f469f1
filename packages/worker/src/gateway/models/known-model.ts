import type { Model } from '@filepath/protocol';

/** A model that a list tells of. Whether anyone here answers for it is another matter. */
export type KnownModel = Omit<Model, 'available'>;

/** A list of models, by id. */
export type KnownModels = ReadonlyMap<string, KnownModel>;

export const byId = (models: readonly KnownModel[]): KnownModels =>
  new Map(models.map((model) => [model.id, model]));

/** The model of a canonical name. OpenRouter's variants and OpenAI's dated names cost what the plain one does. */
export function findModel(models: KnownModels, canonical: string): KnownModel | undefined {
  const plain = canonical.replace(/:(nitro|floor|exacto)$/, '');
  return models.get(canonical) ?? models.get(plain) ?? models.get(plain.replace(DATE, ''));
}

const DATE = /-\d{4}-\d{2}-\d{2}$/;
